//! What is simulated, as it is asked for: one of the programs, with its sizes and times.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::machine::number;
use super::{Dag, Node, Recorded, Side, Split};
use crate::file;
use crate::table::grouped;

/// What is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Program {
    /// A balanced tree, a join at every node
    Tree,
    /// Naive Fibonacci
    Fib,
    /// A chain with a tree beside each node
    Spine,
    /// Equal leaves under a recursion, perhaps below decoys
    Leaves,
    /// A recorded program
    File,
}

/// The program and its sizes.
#[derive(Args, Clone, Debug)]
pub(crate) struct Scene {
    /// The program
    #[arg(value_enum, default_value = "tree")]
    program: Program,

    /// Nodes of the tree, or of all trees at a spine
    #[arg(long, default_value = "100_000_000", value_parser = nodes)]
    nodes: u64,

    /// What a node of a tree or a call of fib takes, in ns [default: 7.5 for trees, as published
    /// for Rust; 2 for fib]
    #[arg(long, value_parser = |text: &str| number(text, 0.001..=1e6), value_name = "NS")]
    node_ns: Option<f64>,

    /// The number for fib
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(0..=80))]
    n: u32,

    /// Nodes of the spine
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    spine: u64,

    /// Number of leaves
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    leaves: u32,

    /// What a leaf takes, in µs
    #[arg(long, default_value = "20", value_parser = |text: &str| number(text, 0.001..=1e6), value_name = "US")]
    leaf_us: f64,

    /// How the leaves are divided
    #[arg(long, value_enum, default_value = "halves")]
    split: Split,

    /// Joins with a tiny half above the leaves
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    decoys: u32,

    /// On which side a spine goes on, or a decoy lies
    #[arg(long, value_enum, default_value = "left")]
    side: Side,

    /// The recorded program: nested {"strand": ns}, {"series": [..]}, {"parallel": [a, b]}
    #[arg(long, value_name = "JSON")]
    file: Option<PathBuf>,
}

impl Scene {
    /// The program; `seed` decides about what is random in it.
    ///
    /// # Errors
    ///
    /// There is no recorded program, or it is none.
    pub(crate) fn dag(&self, seed: u64) -> Result<Dag, String> {
        let tree_ns = self.node_ns.unwrap_or(7.5);
        Ok(match self.program {
            Program::Tree => Dag::new(Node::Tree(self.nodes), tree_ns),
            Program::Fib => Dag::new(Node::Fib(self.n), self.node_ns.unwrap_or(2.0)),
            Program::Spine => Dag {
                side: self.side,
                hanging: self.nodes / self.spine,
                ..Dag::new(Node::Spine(self.spine), tree_ns)
            },
            Program::Leaves => {
                let leaf_ns = self.leaf_us * 1e3;
                let leaves = Dag::leaves(self.leaves, leaf_ns, self.split, self.decoys, self.side);
                Dag { seed, ..leaves }
            }
            Program::File => {
                let path = self
                    .file
                    .as_ref()
                    .ok_or("a recorded program needs --file")?;
                let (recorded, root) = Recorded::read(&file::read(path)?)
                    .map_err(|why| format!("{}: {why}", path.display()))?;
                Dag {
                    recorded,
                    ..Dag::new(root, 0.0)
                }
            }
        })
    }

    /// It in words.
    pub(crate) fn title(&self) -> String {
        match self.program {
            Program::Tree => format!("tree of {} nodes", grouped(self.nodes)),
            Program::Fib => format!("fib({})", self.n),
            Program::Spine => format!("spine of {} nodes", grouped(self.spine)),
            Program::Leaves => {
                format!(
                    "{} leaves of {} µs",
                    grouped(self.leaves.into()),
                    self.leaf_us
                )
            }
            Program::File => "a recorded program".into(),
        }
    }

    /// Whether others have published figures of it.
    pub(crate) fn is_published(&self) -> bool {
        self.program == Program::Tree && self.nodes == 100_000_000
    }
}

fn nodes(text: &str) -> Result<u64, String> {
    match text.replace('_', "").parse() {
        Ok(n) if n <= 1 << 40 => Ok(n),
        _ => Err("a number of nodes is between 0 and 2^40".into()),
    }
}
