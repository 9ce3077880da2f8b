//! A tree of points built in parallel, and searched.
mod random;
use kd_tree::KdTree;
use rayon::prelude::*;

fn main() {
    let numbers: Vec<f64> = random::parts(1_500_000).collect();
    let points: Vec<[f64; 3]> = numbers.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect();
    let tree = KdTree::par_build_by_ordered_float(points);
    let near = numbers.par_windows(3).step_by(20).map(|p| {
        let nearest = tree.nearest(&[p[2], p[0], p[1]]).expect("there are points");
        (nearest.squared_distance * 1e15) as u64
    });
    println!("{} {}", tree.len(), near.sum::<u64>());
}
