//! Dense matrices taken apart in several ways, and systems of equations solved with the parts.
mod random;
use faer::prelude::*;
use faer::{Mat, Side};

fn main() {
    let side = 500;
    let numbers: Vec<f64> = random::parts((side * side) as u64).collect();
    let a = Mat::from_fn(side, side, |i, j| numbers[i * side + j] - 0.5);
    let b = Mat::from_fn(side, 3, |i, j| numbers[j * side + i]);
    let square = &a * a.transpose();
    let is_small = |rest: Mat<f64>| rest.norm_max() < 1e-6;
    for _ in 0..3 {
        println!("{}", is_small(&a * a.partial_piv_lu().solve(&b) - &b));
        println!("{}", is_small(&a * a.full_piv_lu().solve(&b) - &b));
        println!("{}", is_small(&a * a.qr().solve(&b) - &b));
        let cholesky = square.llt(Side::Lower).expect("it is positive");
        println!("{}", is_small(&square * cholesky.solve(&b) - &b));
    }
    let values = square.self_adjoint_eigenvalues(Side::Lower).expect("it has some");
    let singular = a.singular_values().expect("it has some");
    let pairs = values.iter().rev().zip(&singular);
    println!("{}", pairs.filter(|(v, s)| (*v - *s * *s).abs() < 1e-6).count());
}
