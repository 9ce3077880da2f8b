//! Sums of many points of an elliptic curve, each times a number.
use ark_bls12_381::{Fr, G1Projective};
use ark_ec::{CurveGroup, PrimeGroup, VariableBaseMSM};
use ark_ff::Field;

fn main() {
    let generator = G1Projective::generator();
    let step = |p: &G1Projective| Some(p + generator);
    let points: Vec<_> = std::iter::successors(Some(generator), step).take(1 << 14).collect();
    let bases = G1Projective::normalize_batch(&points);
    let seven = Fr::from(7u64).inverse().expect("it is not zero");
    let times: Vec<Fr> = (0..1 << 14).map(|i| (Fr::from(i as u64) + seven).square()).collect();
    let sum = G1Projective::msm(&bases, &times).expect("as many points as numbers");
    println!("{}", sum.into_affine());
}
