//! An index for nearest neighbours, made in parallel with locks; its shape depends on the order.
mod random;
use instant_distance::{Builder, Point, Search};

#[derive(Clone, Copy, PartialEq)]
struct P(f32, f32, f32);

impl Point for P {
    fn distance(&self, other: &Self) -> f32 {
        let [x, y, z] = [self.0 - other.0, self.1 - other.1, self.2 - other.2];
        (x * x + y * y + z * z).sqrt()
    }
}

fn main() {
    let numbers: Vec<f32> = random::parts(24_000).map(|x| x as f32).collect();
    let points: Vec<P> = numbers.chunks_exact(3).map(|p| P(p[0], p[1], p[2])).collect();
    let (index, ids) = Builder::default().seed(1).build_hnsw(points.clone());
    let mut search = Search::default();
    let found = points.iter().zip(ids).filter(|(point, id)| {
        index.search(*point, &mut search).next().is_some_and(|item| item.pid == *id)
    });
    println!("more than 99 of 100 points are found: {}", found.count() > 7_920);
}
