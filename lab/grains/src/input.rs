//! What the programs work on.

/// Of all programs, so that each has the same signature.
#[derive(Debug, Default)]
pub(crate) struct Input {
    pub(crate) numbers: Vec<u64>,
    pub(crate) points: Vec<Point>,
    pub(crate) graph: Graph,
}

/// Compared by x first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point {
    pub(crate) x: i64,
    pub(crate) y: i64,
}

/// An undirected graph: all edges, and the neighbours of each vertex.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(crate) edges: Vec<(u32, u32)>,
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Graph {
    /// The graph of these edges.
    pub(crate) fn new(vertices: usize, edges: Vec<(u32, u32)>) -> Self {
        let mut starts = vec![0_u32; vertices + 1];
        for &(a, b) in &edges {
            starts[a as usize] += 1;
            starts[b as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut targets = vec![0; 2 * edges.len()];
        for &(a, b) in &edges {
            for (from, to) in [(a, b), (b, a)] {
                starts[from as usize] -= 1;
                targets[starts[from as usize] as usize] = to;
            }
        }
        Graph {
            edges,
            starts,
            targets,
        }
    }

    /// How many vertices it has.
    pub(crate) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The neighbours of a vertex.
    pub(crate) fn of(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.targets[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }
}

/// A number for each number, without order.
pub(crate) fn hash(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

impl Input {
    /// So many numbers, half as many points, a quarter as many vertices with four times as many
    /// edges.
    pub(crate) fn random(items: usize) -> Self {
        let (points, vertices) = (items.div_ceil(2), items.div_ceil(4));
        let all = |count: usize, kind: u64| (0..count as u64).map(move |i| hash(i << 3 | kind));
        let coordinate = |x: u64| (x % (1 << 20)) as i64;
        let edge = |x: u64| {
            let end = |x: u64| (x % vertices as u64) as u32;
            (end(x >> 32), end(x & u64::from(u32::MAX)))
        };
        let points: Vec<Point> = all(points, 2)
            .map(|x| Point {
                x: coordinate(x),
                y: coordinate(x >> 32),
            })
            .collect();
        Input {
            numbers: all(items, 0).map(|x| x % (items as u64)).collect(),
            points,
            graph: Graph::new(vertices, all(4 * vertices, 3).map(edge).collect()),
        }
    }
}

#[cfg(test)]
impl Input {
    /// All numbers and points the same; the graph is a path.
    pub(crate) fn equal(items: usize) -> Self {
        let path = (1..items as u32).map(|i| (i - 1, i)).collect();
        Input {
            numbers: vec![7; items],
            points: vec![Point { x: 3, y: 4 }; items],
            graph: Graph::new(items, path),
        }
    }
}
