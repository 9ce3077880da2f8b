//! A proof that a long row of numbers is right, each the cube of the last and a constant more.
use winterfell::crypto::{DefaultRandomCoin, MerkleTree, hashers::Blake3_256};
use winterfell::math::{FieldElement, ToElements, fields::f128::BaseElement};
use winterfell::matrix::ColMatrix;
use winterfell::*;

type Hash = Blake3_256<BaseElement>;
type Coin = DefaultRandomCoin<Hash>;

struct Ends(BaseElement, BaseElement);

impl ToElements<BaseElement> for Ends {
    fn to_elements(&self) -> Vec<BaseElement> {
        vec![self.0, self.1]
    }
}

struct Cubes {
    context: AirContext<BaseElement>,
    ends: Ends,
}

impl Air for Cubes {
    type BaseField = BaseElement;
    type PublicInputs = Ends;

    fn new(info: TraceInfo, ends: Ends, options: ProofOptions) -> Self {
        let degrees = vec![TransitionConstraintDegree::new(3)];
        Cubes { context: AirContext::new(info, degrees, 2, options), ends }
    }

    fn evaluate_transition<E: FieldElement + From<BaseElement>>(
        &self,
        frame: &EvaluationFrame<E>,
        _: &[E],
        result: &mut [E],
    ) {
        result[0] = frame.next()[0] - frame.current()[0].exp(3u32.into()) - E::from(42u32);
    }

    fn get_assertions(&self) -> Vec<Assertion<BaseElement>> {
        let last = Assertion::single(0, self.trace_length() - 1, self.ends.1);
        vec![Assertion::single(0, 0, self.ends.0), last]
    }

    fn context(&self) -> &AirContext<BaseElement> {
        &self.context
    }
}

struct Author(ProofOptions);

impl Prover for Author {
    type BaseField = BaseElement;
    type Air = Cubes;
    type Trace = TraceTable<BaseElement>;
    type HashFn = Hash;
    type VC = MerkleTree<Hash>;
    type RandomCoin = Coin;
    type TraceLde<E: FieldElement<BaseField = BaseElement>> = DefaultTraceLde<E, Hash, Self::VC>;
    type ConstraintCommitment<E: FieldElement<BaseField = BaseElement>> =
        DefaultConstraintCommitment<E, Hash, Self::VC>;
    type ConstraintEvaluator<'a, E: FieldElement<BaseField = BaseElement>> =
        DefaultConstraintEvaluator<'a, Cubes, E>;

    fn get_pub_inputs(&self, trace: &Self::Trace) -> Ends {
        Ends(trace.get(0, 0), trace.get(0, trace.length() - 1))
    }

    fn options(&self) -> &ProofOptions {
        &self.0
    }

    fn new_trace_lde<E: FieldElement<BaseField = BaseElement>>(
        &self,
        info: &TraceInfo,
        trace: &ColMatrix<BaseElement>,
        domain: &StarkDomain<BaseElement>,
        parts: PartitionOptions,
    ) -> (Self::TraceLde<E>, TracePolyTable<E>) {
        DefaultTraceLde::new(info, trace, domain, parts)
    }

    fn build_constraint_commitment<E: FieldElement<BaseField = BaseElement>>(
        &self,
        trace: CompositionPolyTrace<E>,
        columns: usize,
        domain: &StarkDomain<BaseElement>,
        parts: PartitionOptions,
    ) -> (Self::ConstraintCommitment<E>, CompositionPoly<E>) {
        DefaultConstraintCommitment::new(trace, columns, domain, parts)
    }

    fn new_evaluator<'a, E: FieldElement<BaseField = BaseElement>>(
        &self,
        air: &'a Cubes,
        aux: Option<AuxRandElements<E>>,
        coefficients: ConstraintCompositionCoefficients<E>,
    ) -> Self::ConstraintEvaluator<'a, E> {
        DefaultConstraintEvaluator::new(air, aux, coefficients)
    }
}

fn main() {
    let length = 1 << 14;
    let mut trace = TraceTable::new(1, length);
    let next = |_, row: &mut [BaseElement]| row[0] = row[0].exp(3) + BaseElement::new(42);
    trace.fill(|row| row[0] = BaseElement::new(3), next);
    let ends = Ends(trace.get(0, 0), trace.get(0, length - 1));
    let linear = BatchingMethod::Linear;
    let options = ProofOptions::new(32, 8, 0, FieldExtension::None, 8, 31, linear, linear);
    let proof = Author(options).prove(trace).expect("it is proved");
    let bytes = proof.to_bytes();
    let hash = bytes.iter().fold(0, |h: u64, &b| h.wrapping_mul(31).wrapping_add(b.into()));
    let least = AcceptableOptions::MinConjecturedSecurity(80);
    let right = verify::<Cubes, Hash, Coin, MerkleTree<Hash>>(proof, ends, &least).is_ok();
    println!("{} {hash:x} {right}", bytes.len());
}
