//! Shortest paths between all nodes of a random graph, by Johnson's algorithm in parallel.
mod random;
use petgraph::{Graph, algo::parallel_johnson};

fn main() {
    let mut graph = Graph::<(), u32>::new();
    let nodes: Vec<_> = (0..700).map(|_| graph.add_node(())).collect();
    for n in random::numbers(5_000) {
        let (a, b) = (n as usize % nodes.len(), (n >> 20) as usize % nodes.len());
        graph.add_edge(nodes[a], nodes[b], (n >> 50) as u32 + 1);
    }
    let paths = parallel_johnson(&graph, |edge| i64::from(*edge.weight())).expect("no cycle");
    println!("{} {}", paths.len(), paths.values().sum::<i64>());
}
