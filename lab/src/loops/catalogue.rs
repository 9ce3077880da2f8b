//! Every loop, with its sizes and who can run it. Its goals are in `goals.rs`, by name.

use super::collect::Collect;
use super::heavy::Heavy;
use super::histogram::Histogram;
use super::nested::Nested;
use super::saxpy::Saxpy;
use super::scan::Scan;
use super::small::Small;
use super::sort::Sort;
use super::spawn::Spawn;
use super::strings::Strings;
use super::sums::{Dot, Sum};
use crate::contender::Id;
use crate::program::catalogue::LOOPS as TWO;
use crate::program::mandelbrot::Mandelbrot;
use crate::program::triangular::Triangular;
use crate::program::uts::Uts;
use crate::workload::Workload;

/// Who runs loops that are also divided by hand.
const SPLIT: &[Id] = &[Id::StaticSplit, Id::Rayon, Id::SumacJoin];

const M: usize = 1 << 20;
const MOST: usize = 1 << 30;

/// The loops, in the order of the table.
#[rustfmt::skip]
pub(crate) const LOOPS: &[Workload] = &[
    Workload::new("sum", "sum of so many f64", [16 * M, 10_000, MOST], SPLIT, |_, n| Box::new(Sum::new(n))),
    Workload::new("dot", "dot product of two vectors of f64", [16 * M, 10_000, MOST], SPLIT, |_, n| Box::new(Dot::new(n))),
    Workload::new("saxpy", "y += a * x, vectors of f32", [16 * M, 10_000, MOST], SPLIT, |_, n| Box::new(Saxpy::new(n))),
    Workload::new("histogram", "counts of so many bytes", [64 * M, 10_000, MOST], SPLIT, |_, n| Box::new(Histogram::new(n))),
    Workload::new("map-sum-10", "map and sum of a few numbers", [10, 10, 100], TWO, |_, n| Box::new(Small::new(n))),
    Workload::new("map-sum-100", "map and sum of some numbers", [100, 100, 1000], TWO, |_, n| Box::new(Small::new(n))),
    Workload::new("map-sum-1000", "map and sum of more numbers", [1000, 1000, M], TWO, |_, n| Box::new(Small::new(n))),
    Workload::new("nested", "loop of so many loops of so many tiny bodies", [1000, 50, 30_000], TWO, |_, n| Box::new(Nested::new(n))),
    Workload::new("mandelbrot", "so many rows and columns", [1000, 16, 20_000], TWO, |_, n| Box::new(Mandelbrot::new(n))),
    Workload::new("uts-t1", "unbalanced tree search, geometric, of this depth", [10, 3, 12], &[Id::Rayon, Id::SumacJoin], |_, n| Box::new(Uts::t1(n))),
    Workload::new("uts-t3", "unbalanced tree search, binomial, so many branches", [2000, 2, 10_000], &[Id::Rayon, Id::SumacJoin], |_, n| Box::new(Uts::t3(n))),
    Workload::new("triangular", "loop of so many rows, row i costs i", [16_000, 40, 500_000], TWO, |_, n| Box::new(Triangular::new(n))),
    Workload::new("collect", "so many mapped numbers into a vector", [16 * M, 10_000, MOST], TWO, |_, n| Box::new(Collect::new(n))),
    Workload::new("sort-random", "unstable sort of so many random numbers", [16 * M, 10_000, MOST], TWO, |_, n| Box::new(Sort::random(n))),
    Workload::new("sort-sorted", "unstable sort of so many sorted numbers", [16 * M, 10_000, MOST], TWO, |_, n| Box::new(Sort::sorted(n))),
    Workload::new("sort-few", "unstable sort of so many numbers of 16 values", [16 * M, 10_000, MOST], TWO, |_, n| Box::new(Sort::few(n))),
    Workload::new("sort-strings", "stable sort of so many strings", [M, 2000, 64 * M], TWO, |_, n| Box::new(Strings::new(n))),
    Workload::new("scan", "inclusive scan of so many numbers in place", [64 * M, 10_000, MOST], &[Id::SumacJoin], |_, n| Box::new(Scan::new(n))),
    Workload::new("spawn", "so many empty tasks, each waited for", [100, 10, 1_000_000], TWO, |_, n| Box::new(Spawn(n))),
    Workload::new("heavy-first", "so many items of 5 µs after one as long as all", [10_000, 100, M], TWO, |_, n| Box::new(Heavy::first(n))),
    Workload::new("heavy-middle", "so many items of 5 µs around one as long as all", [10_000, 100, M], TWO, |_, n| Box::new(Heavy::middle(n))),
    Workload::new("heavy-last", "so many items of 5 µs before one as long as all", [10_000, 100, M], TWO, |_, n| Box::new(Heavy::last(n))),
];
