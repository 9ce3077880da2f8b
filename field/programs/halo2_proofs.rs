//! A proof that a long chain of numbers is right, each the square of the last and a constant more.
use halo2_proofs::circuit::{Layouter, SimpleFloorPlanner, Value};
use halo2_proofs::pasta::{EqAffine, Fp};
use halo2_proofs::plonk::*;
use halo2_proofs::poly::{Rotation, commitment::Params};
use halo2_proofs::transcript::{Blake2bRead, Blake2bWrite, Challenge255};
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

const ROWS: usize = 450;

struct Chain(Value<Fp>);

impl Circuit<Fp> for Chain {
    type Config = (Column<Advice>, Selector);
    type FloorPlanner = SimpleFloorPlanner;

    fn without_witnesses(&self) -> Self {
        Chain(Value::unknown())
    }

    fn configure(meta: &mut ConstraintSystem<Fp>) -> Self::Config {
        let (column, selector) = (meta.advice_column(), meta.selector());
        meta.create_gate("next", |meta| {
            let this = meta.query_advice(column, Rotation::cur());
            let next = meta.query_advice(column, Rotation::next());
            let seven = Expression::Constant(Fp::from(7));
            vec![meta.query_selector(selector) * (this.square() + seven - next)]
        });
        (column, selector)
    }

    fn synthesize(
        &self,
        (column, selector): Self::Config,
        mut layouter: impl Layouter<Fp>,
    ) -> Result<(), Error> {
        layouter.assign_region(|| "chain", |mut region| {
            let mut value = self.0;
            for row in 0..ROWS {
                region.assign_advice(|| "number", column, row, || value)?;
                value = value.map(|x| x * x + Fp::from(7));
                if row + 1 < ROWS {
                    selector.enable(&mut region, row)?;
                }
            }
            Ok(())
        })
    }
}

fn main() {
    let params: Params<EqAffine> = Params::new(9);
    let circuit = Chain(Value::known(Fp::from(3)));
    let vk = keygen_vk(&params, &circuit).expect("it has a key");
    let pk = keygen_pk(&params, vk, &circuit).expect("it has another");
    let mut transcript = Blake2bWrite::<_, _, Challenge255<_>>::init(vec![]);
    let rng = ChaCha8Rng::seed_from_u64(1);
    create_proof(&params, &pk, &[circuit], &[&[]], rng, &mut transcript).expect("it is proved");
    let proof = transcript.finalize();
    let hash = proof.iter().fold(0, |h: u64, &b| h.wrapping_mul(31).wrapping_add(b.into()));
    let mut transcript = Blake2bRead::<_, _, Challenge255<_>>::init(&proof[..]);
    let one = SingleVerifier::new(&params);
    let right = verify_proof(&params, pk.get_vk(), one, &[&[]], &mut transcript).is_ok();
    println!("{} {hash:x} {right}", proof.len());
}
