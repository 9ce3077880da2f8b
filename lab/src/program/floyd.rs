//! Floyd-Warshall: the shortest paths between all towns, in place. A parallel loop over the rows
//! for every town that paths may newly lead through. From domainslib's test programs. The oracle is
//! Dijkstra's algorithm from every town.

use super::random::{digest, scatter};
use super::work::Work;
use super::{by_library, each_library};
use crate::contender::Contender;
use crate::problem::Problem;

/// No road.
const FAR: u32 = u32::MAX / 2;

/// Towns and roads.
pub(crate) struct Floyd {
    size: usize,
    work: Work<Vec<u32>>,
    expected: u64,
}

impl Floyd {
    /// So many towns; a quarter of the roads that could be are there.
    pub(crate) fn new(size: usize) -> Floyd {
        let road = |place: usize| match scatter(place as u64) {
            _ if place / size == place % size => 0,
            road if road % 4 == 0 => 1 + (road >> 32) as u32 % 1000,
            _ => FAR,
        };
        let roads: Vec<u32> = (0..size * size).map(road).collect();
        let paths: Vec<u32> = (0..size)
            .flat_map(|from| dijkstra(&roads, size, from))
            .collect();
        Floyd {
            size,
            work: Work::new(roads),
            expected: digest(paths.into_iter().map(u64::from)),
        }
    }
}

/// The shortest paths from one town.
fn dijkstra(roads: &[u32], size: usize, from: usize) -> Vec<u32> {
    let mut paths = vec![FAR; size];
    paths[from] = 0;
    let mut open: Vec<usize> = (0..size).collect();
    while let Some(place) = (0..open.len()).min_by_key(|&place| paths[open[place]]) {
        let town = open.swap_remove(place);
        for (to, road) in roads[town * size..][..size].iter().enumerate() {
            paths[to] = paths[to].min(paths[town] + road);
        }
    }
    paths
}

/// The paths of a row, now also through the town that `from_k` starts at.
fn through(row: &mut [u32], to_k: u32, from_k: &[u32]) {
    for (path, rest) in row.iter_mut().zip(from_k) {
        *path = (*path).min(to_k + rest);
    }
}

fn paths(matrix: &mut [u32], size: usize) {
    for k in 0..size {
        let from_k = matrix[k * size..][..size].to_vec();
        for row in matrix.chunks_exact_mut(size) {
            through(row, row[k], &from_k);
        }
    }
}

each_library! {
    pub(super) fn paths(matrix: &mut [u32], size: usize) {
        for k in 0..size {
            let from_k = matrix[k * size..][..size].to_vec();
            matrix
                .par_chunks_exact_mut(size)
                .for_each(|row| through(row, row[k], &from_k));
        }
    }
}

impl Problem for Floyd {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        by_library!(C => paths(&mut self.work.lock(), self.size));
        0
    }

    fn expected(&self) -> u64 {
        self.expected
    }

    fn in_place(&self) -> bool {
        true
    }

    fn reset(&self) {
        self.work.reset();
    }

    fn answer(&self, _returned: u64) -> u64 {
        digest(self.work.lock().iter().map(|path| u64::from(*path)))
    }
}
