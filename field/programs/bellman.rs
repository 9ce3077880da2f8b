//! A Fourier transform over a finite field, and back.
use bellman::{domain::{EvaluationDomain, Scalar}, multicore::Worker};
use bls12_381::Scalar as Fr;

fn main() {
    let worker = Worker::new();
    let numbers = (0..1u64 << 17).map(|n| Scalar::<Fr>(Fr::from(n * n + 7))).collect();
    let mut domain = EvaluationDomain::from_coeffs(numbers).expect("it is not too large");
    for _ in 0..2 {
        domain.fft(&worker);
        domain.mul_assign(&worker, &domain_of(&worker));
        domain.icoset_fft(&worker);
    }
    println!("{:?}", domain.into_coeffs()[12_345].0);
}

fn domain_of(worker: &Worker) -> EvaluationDomain<Fr, Scalar<Fr>> {
    let numbers = (0..1u64 << 17).map(|n| Scalar::<Fr>(Fr::from(n + 3))).collect();
    let mut domain = EvaluationDomain::from_coeffs(numbers).expect("it is not too large");
    domain.coset_fft(worker);
    domain
}
