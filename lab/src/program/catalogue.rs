//! Every program and every loop, with its sizes and who can run it. Adding one is a file and a line
//! here.

use super::bvh::Bvh;
use super::mergesort::Mergesort;
use super::queens::{self, Queens};
use super::random::numbers;
use super::uts::Uts;
use super::{heavy, json, lu, mandelbrot, nested, prefix, saxpy, small, sort, spawn, sum};
use crate::contender::Id;
use crate::problem::fib::Fib;
use crate::workload::Workload;

/// Who runs loops, and who one that is also divided by hand.
const LOOPS: &[Id] = &[Id::Rayon, Id::SumacJoin];
const SPLIT: &[Id] = &[Id::StaticSplit, Id::Rayon, Id::SumacJoin];
/// Who runs join recursions.
const JOINS: &[Id] = Id::RUNTIMES;

const M: usize = 1 << 20;
const MOST: usize = 1 << 30;

/// The programs, in the order of the tables.
#[rustfmt::skip]
pub(crate) const PROGRAMS: &[Workload] = &[
    Workload::new("fib", "naive Fibonacci number", [35, 12, 45], JOINS, |_, n| Box::new(Fib(n as u32))),
    Workload::new("queens", "n-queens: ways on a board of so many rows", [12, 6, queens::MOST], JOINS, |_, n| Box::new(Queens(n))),
    Workload::new("mergesort", "so many random numbers", [1 << 20, 500, 1 << 28], JOINS, |_, n| Box::new(Mergesort::new(n))),
    Workload::new("bvh", "hierarchy over so many boxes", [200_000, 100, 20_000_000], JOINS, |_, n| Box::new(Bvh::new(n))),
    Workload::new("uts-t1", "unbalanced tree search, geometric, of this depth", [10, 3, 12], JOINS, |_, n| Box::new(Uts::t1(n))),
    Workload::new("uts-t3", "unbalanced tree search, binomial, so many branches", [2000, 2, 10_000], JOINS, |_, n| Box::new(Uts::t3(n))),
    Workload::new("json", "nested document of so many values", [1_000_000, 500, 50_000_000], LOOPS, |_, n| Box::new(json::json(n))),
    Workload::new("lu", "LU decomposition, so many rows", [512, 12, 8192], LOOPS, |_, n| Box::new(lu::lu(n))),
    Workload::new("prefix", "prefix sums of so many numbers", [1 << 24, 10_000, 1 << 28], LOOPS, |_, n| Box::new(prefix::prefix(n))),
    Workload::new("mandelbrot", "so many rows and columns", [1000, 16, 20_000], LOOPS, |_, n| Box::new(mandelbrot::mandelbrot(n))),
    Workload::new("sum", "sum of so many f64", [16 * M, 10_000, MOST], SPLIT, |_, n| Box::new(sum::vector(n))),
    Workload::new("saxpy", "y += a * x, vectors of f32", [16 * M, 10_000, MOST], LOOPS, |_, n| Box::new(saxpy::vectors(n))),
    Workload::new("map-sum", "map and sum of so many numbers", [100, 10, M], LOOPS, |_, n| Box::new(small::small(n))),
    Workload::new("nested", "loop of so many loops of so many tiny bodies", [1000, 50, 30_000], LOOPS, |_, n| Box::new(nested::nested(n))),
    Workload::new("sort-random", "unstable sort of so many random numbers", [16 * M, 10_000, MOST], LOOPS, |_, n| Box::new(sort::sort(numbers(n)))),
    Workload::new("sort-sorted", "unstable sort of so many sorted numbers", [16 * M, 10_000, MOST], LOOPS, |_, n| Box::new(sort::sort((0..n as u64).collect()))),
    Workload::new("sort-few", "unstable sort of so many numbers of 16 values", [16 * M, 10_000, MOST], LOOPS, |_, n| Box::new(sort::sort(numbers(n).into_iter().map(|x| x % 16).collect()))),
    Workload::new("sort-strings", "stable sort of so many strings", [M, 2000, 64 * M], LOOPS, |_, n| Box::new(sort::strings(n))),
    Workload::new("scan", "inclusive scan of so many numbers in place", [64 * M, 10_000, MOST], &[Id::SumacJoin], |_, n| Box::new(prefix::scan(n))),
    Workload::new("spawn", "so many empty tasks, each waited for", [100, 10, 1_000_000], LOOPS, |_, n| Box::new(spawn::spawn(n))),
    Workload::new("heavy-first", "so many items of 5 µs after one as long as all", [10_000, 100, M], LOOPS, |_, n| Box::new(heavy::heavy(n, 0))),
    Workload::new("heavy-middle", "so many items of 5 µs around one as long as all", [10_000, 100, M], LOOPS, |_, n| Box::new(heavy::heavy(n, n / 2))),
    Workload::new("heavy-last", "so many items of 5 µs before one as long as all", [10_000, 100, M], LOOPS, |_, n| Box::new(heavy::heavy(n, n))),
];
