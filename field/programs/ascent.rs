//! A logic program: who reaches whom, and how far it is.
mod random;
use ascent::{ascent_par, lattice::Dual};

ascent_par! {
    struct Graph;
    relation edge(u32, u32, u32);
    lattice path(u32, u32, Dual<u32>);
    path(x, y, Dual(*w)) <-- edge(x, y, w);
    path(x, z, Dual(w + l.0)) <-- edge(x, y, w), path(y, z, l);
}

fn main() {
    let mut graph = Graph::default();
    let edge = |n: u64| (n as u32 % 250, (n >> 32) as u32 % 250, (n >> 59) as u32 + 1);
    graph.edge = random::numbers(700).map(edge).collect();
    graph.run();
    let lengths = graph.path.iter().map(|row| u64::from(row.read().unwrap().2.0));
    println!("{} {}", graph.path.len(), lengths.sum::<u64>());
}
