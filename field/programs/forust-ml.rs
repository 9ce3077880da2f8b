//! Trees that correct each other's errors, fitted to a table of numbers.
mod random;
use forust_ml::{GradientBooster, Matrix};

fn main() {
    let (rows, columns) = (40_000, 12);
    let values: Vec<f64> = random::parts(rows * columns).collect();
    let wanted = |row: usize| {
        let at = |column: usize| values[column * rows as usize + row];
        f64::from(at(0) * at(1) + (at(2) * 9.0).sin() > at(3) + at(4) * at(5))
    };
    let wanted: Vec<f64> = (0..rows as usize).map(wanted).collect();
    let table = Matrix::new(&values, rows as usize, columns as usize);
    let mut booster = GradientBooster::default().set_iterations(80).set_parallel(true);
    booster.fit_unweighted(&table, &wanted, None).expect("it is fitted");
    let found = booster.predict(&table, true);
    let right = found.iter().zip(&wanted).filter(|(f, w)| (**f > 0.0) == (**w > 0.5)).count();
    println!("{right} {:x}", found.iter().fold(0, |h: u64, x| h.rotate_left(1) ^ x.to_bits()));
}
