//! Inputs in the formats of PBBS, for RPB's programs: a header, then a number, an edge or a point a
//! line. The same in every run.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

use crate::program::random::Random;

/// How large they are.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    /// Numbers of a sequence.
    pub(super) numbers: usize,
    /// Bytes of text.
    pub(super) bytes: usize,
    /// Levels of a graph: it has a power of two of nodes.
    pub(super) levels: u32,
    /// Its edges.
    pub(super) edges: usize,
}

/// Those that are measured: most programs then take between 20 and 300 ms for a round.
pub(super) const SIZES: Sizes = Sizes {
    numbers: 10_000_000,
    bytes: 3_000_000,
    levels: 20,
    edges: 4_000_000,
};

/// How many values the sequence `few` has, and the text different words.
const VALUES: u64 = 100_000;
const WORDS: u64 = 5_000;

type Edge = (u32, u32);

/// Writes them to a folder.
///
/// # Errors
///
/// A file cannot be written.
pub(super) fn fill(folder: &Path, sizes: Sizes) -> io::Result<()> {
    let put = |name: &str, text: String| fs::write(folder.join(name), text);
    fs::create_dir_all(folder)?;
    put("numbers", sequence(sizes.numbers, 1 << 30))?;
    put("few", sequence(sizes.numbers, VALUES))?;
    put("text", text(sizes.bytes))?;
    let edges = rmat(sizes);
    put("edges", listed("EdgeArray", &edges, |_| String::new()))?;
    let mut random = Random::at(4 << 32);
    let mut weight = |_| format!(" {:.6}", random.below(1_000_000) as f64 / 1e6);
    // A quarter: it sorts them, too.
    let part = &edges[..edges.len() / 4];
    put("weighted", listed("WeightedEdgeArray", part, &mut weight))?;
    put("graph", adjacency(1 << sizes.levels, &edges))
}

fn sequence(count: usize, limit: u64) -> String {
    let mut random = Random::at(1 << 32);
    let numbers = (0..count).map(|_| random.below(limit).to_string());
    lines("sequenceInt", numbers)
}

/// Words, some of them often.
fn text(bytes: usize) -> String {
    let mut random = Random::at(2 << 32);
    let mut word = |_| {
        let letters = 2 + random.below(8);
        let letters = (0..letters).map(|_| char::from(b'a' + random.below(26) as u8));
        letters.collect::<String>()
    };
    let words: Vec<String> = (0..WORDS).map(&mut word).collect();
    let mut text = String::new();
    while text.len() < bytes {
        let most = 1 + random.below(WORDS);
        text += &words[random.below(most) as usize];
        text.push(' ');
    }
    text.truncate(bytes);
    text
}

/// Edges of a graph with hubs: in each level a quarter of the matrix is chosen, the first mostly.
fn rmat(sizes: Sizes) -> Vec<Edge> {
    let mut random = Random::at(3 << 32);
    let mut edge = |_| {
        let levels = 0..sizes.levels;
        levels.fold((0, 0), |(u, v), _| {
            let (down, right) = match random.below(10) {
                0..5 => (0, 0),
                5 | 6 => (0, 1),
                7 | 8 => (1, 0),
                _ => (1, 1),
            };
            (2 * u + down, 2 * v + right)
        })
    };
    (0..sizes.edges).map(&mut edge).collect()
}

fn listed(header: &str, edges: &[Edge], mut behind: impl FnMut(usize) -> String) -> String {
    let edges = edges.iter().enumerate();
    let edge = |(place, (u, v)): (usize, &Edge)| format!("{u} {v}{}", behind(place));
    lines(header, edges.map(edge))
}

/// Where each node's neighbours begin, then the neighbours: both ways, once each.
fn adjacency(nodes: u32, edges: &[Edge]) -> String {
    let both = edges.iter().flat_map(|&(u, v)| [(u, v), (v, u)]);
    let both: BTreeSet<Edge> = both.filter(|(u, v)| u != v).collect();
    let mut begins = vec![0; nodes as usize + 1];
    both.iter().for_each(|(u, _)| begins[*u as usize + 1] += 1);
    for node in 0..nodes as usize {
        begins[node + 1] += begins[node];
    }
    let counts = [nodes as usize, both.len()];
    let begins = &begins[..nodes as usize];
    let neighbours = both.iter().map(|(_, v)| *v as usize);
    let all = counts.into_iter().chain(begins.iter().copied());
    lines(
        "AdjacencyGraph",
        all.chain(neighbours).map(|n| n.to_string()),
    )
}

fn lines(header: &str, all: impl Iterator<Item = String>) -> String {
    let mut text = format!("{header}\n");
    all.for_each(|line| writeln!(text, "{line}").expect("strings take all"));
    text
}
