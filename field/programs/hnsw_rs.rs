//! An index of near neighbours, to which threads add points at the same time, and searches in it.
//! What is found depends on the order of the points, so most of it is compared.
mod random;
use hnsw_rs::prelude::*;

fn main() {
    let numbers: Vec<f32> = random::parts(3_000 * 8).map(|x| x as f32).collect();
    let points: Vec<Vec<f32>> = numbers.chunks_exact(8).map(Into::into).collect();
    let index = Hnsw::new(16, points.len(), 16, 100, DistL2 {});
    let named: Vec<_> = points.iter().zip(0..).collect();
    index.parallel_insert(&named);
    let found = index.parallel_search(&points, 3, 32);
    let own = found.iter().enumerate().filter(|(i, near)| near.iter().any(|n| n.d_id == *i));
    let many = own.count() > 2_950;
    println!("{} {}: 59 of 60 find themselves: {many}", index.get_nb_point(), found.len());
}
