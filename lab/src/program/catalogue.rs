//! Every program and every loop, with its sizes and who can run it. Adding one is a file and a line
//! here.

use super::bvh::Bvh;
use super::heavy::Heavy;
use super::json::Json;
use super::lu::Lu;
use super::mandelbrot::Mandelbrot;
use super::mergesort::Mergesort;
use super::nested::Nested;
use super::prefix::Prefix;
use super::queens::{self, Queens};
use super::saxpy::Saxpy;
use super::scan::Scan;
use super::small::Small;
use super::sort::Sort;
use super::spawn::Spawn;
use super::strings::Strings;
use super::sum::Sum;
use super::uts::Uts;
use super::visitor::Ast;
use crate::contender::Id;
use crate::problem::fib::Fib;
use crate::workload::Workload;

/// Who runs loops, and who those that are also divided by hand.
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
    Workload::new("visitor", "visitors of a syntax tree of so many nodes", [1_000_000, 500, 50_000_000], JOINS, |_, n| Box::new(Ast::new(n))),
    Workload::new("bvh", "hierarchy over so many boxes", [200_000, 100, 20_000_000], JOINS, |_, n| Box::new(Bvh::new(n))),
    Workload::new("uts-t1", "unbalanced tree search, geometric, of this depth", [10, 3, 12], JOINS, |_, n| Box::new(Uts::t1(n))),
    Workload::new("uts-t3", "unbalanced tree search, binomial, so many branches", [2000, 2, 10_000], JOINS, |_, n| Box::new(Uts::t3(n))),
    Workload::new("json", "nested document of so many values", [1_000_000, 500, 50_000_000], LOOPS, |_, n| Box::new(Json::new(n))),
    Workload::new("lu", "LU decomposition, so many rows", [512, 12, 8192], LOOPS, |_, n| Box::new(Lu::new(n))),
    Workload::new("prefix", "prefix sums of so many numbers", [1 << 24, 10_000, 1 << 28], LOOPS, |_, n| Box::new(Prefix::new(n))),
    Workload::new("mandelbrot", "so many rows and columns", [1000, 16, 20_000], LOOPS, |_, n| Box::new(Mandelbrot::new(n))),
    Workload::new("sum", "sum of so many f64", [16 * M, 10_000, MOST], SPLIT, |_, n| Box::new(Sum::new(n))),
    Workload::new("saxpy", "y += a * x, vectors of f32", [16 * M, 10_000, MOST], SPLIT, |_, n| Box::new(Saxpy::new(n))),
    Workload::new("map-sum", "map and sum of so many numbers", [100, 10, M], LOOPS, |_, n| Box::new(Small::new(n))),
    Workload::new("nested", "loop of so many loops of so many tiny bodies", [1000, 50, 30_000], LOOPS, |_, n| Box::new(Nested::new(n))),
    Workload::new("sort-random", "unstable sort of so many random numbers", [16 * M, 10_000, MOST], LOOPS, |_, n| Box::new(Sort::random(n))),
    Workload::new("sort-sorted", "unstable sort of so many sorted numbers", [16 * M, 10_000, MOST], LOOPS, |_, n| Box::new(Sort::sorted(n))),
    Workload::new("sort-few", "unstable sort of so many numbers of 16 values", [16 * M, 10_000, MOST], LOOPS, |_, n| Box::new(Sort::few(n))),
    Workload::new("sort-strings", "stable sort of so many strings", [M, 2000, 64 * M], LOOPS, |_, n| Box::new(Strings::new(n))),
    Workload::new("scan", "inclusive scan of so many numbers in place", [64 * M, 10_000, MOST], &[Id::SumacJoin], |_, n| Box::new(Scan::new(n))),
    Workload::new("spawn", "so many empty tasks, each waited for", [100, 10, 1_000_000], LOOPS, |_, n| Box::new(Spawn(n))),
    Workload::new("heavy-first", "so many items of 5 µs after one as long as all", [10_000, 100, M], LOOPS, |_, n| Box::new(Heavy::first(n))),
    Workload::new("heavy-middle", "so many items of 5 µs around one as long as all", [10_000, 100, M], LOOPS, |_, n| Box::new(Heavy::middle(n))),
    Workload::new("heavy-last", "so many items of 5 µs before one as long as all", [10_000, 100, M], LOOPS, |_, n| Box::new(Heavy::last(n))),
];
