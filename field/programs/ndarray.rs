//! Element-wise work on matrices, in parallel over elements, rows and pairs.
mod random;
use ndarray::{Array2, Axis, Zip, parallel::prelude::*};

fn main() {
    let side = 1_500;
    let shape = (side, side);
    let values = random::parts((side * side) as u64).collect();
    let mut a = Array2::from_shape_vec(shape, values).expect("as many as fit");
    let b = a.t().to_owned();
    for _ in 0..10 {
        a.par_mapv_inplace(|x| (x * 1.5).sin());
        Zip::from(&mut a).and(&b).par_for_each(|a, b| *a += b.sqrt());
    }
    let rows: Vec<f64> = a.axis_iter(Axis(0)).into_par_iter().map(|row| row.sum()).collect();
    println!("{:x}", rows.iter().fold(0, |h: u64, x| h.rotate_left(1) ^ x.to_bits()));
}
