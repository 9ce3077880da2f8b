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
    Workload::new("fib", [35, 12, 45], JOINS, |_, n| Box::new(Fib(n as u32))),
    Workload::new("queens", [12, 6, queens::MOST], JOINS, |_, n| Box::new(Queens(n))),
    Workload::new("mergesort", [1 << 20, 500, 1 << 28], JOINS, |_, n| Box::new(Mergesort::new(n))),
    Workload::new("bvh", [200_000, 100, 20_000_000], JOINS, |_, n| Box::new(Bvh::new(n))),
    Workload::new("uts-t1", [10, 3, 12], JOINS, |_, n| Box::new(Uts::t1(n))),
    Workload::new("uts-t3", [2000, 2, 10_000], JOINS, |_, n| Box::new(Uts::t3(n))),
    Workload::new("json", [1_000_000, 500, 50_000_000], LOOPS, |_, n| Box::new(json::json(n))),
    Workload::new("lu", [512, 12, 8192], LOOPS, |_, n| Box::new(lu::lu(n))),
    Workload::new("prefix", [1 << 24, 10_000, 1 << 28], LOOPS, |_, n| Box::new(prefix::prefix(n))),
    Workload::new("mandelbrot", [1000, 16, 20_000], LOOPS, |_, n| Box::new(mandelbrot::mandelbrot(n))),
    Workload::new("sum", [16 * M, 10_000, MOST], SPLIT, |_, n| Box::new(sum::vector(n))),
    Workload::new("saxpy", [16 * M, 10_000, MOST], LOOPS, |_, n| Box::new(saxpy::vectors(n))),
    Workload::new("map-sum", [100, 10, M], LOOPS, |_, n| Box::new(small::small(n))),
    Workload::new("nested", [1000, 50, 30_000], LOOPS, |_, n| Box::new(nested::nested(n))),
    Workload::new("sort-random", [16 * M, 10_000, MOST], LOOPS, |_, n| Box::new(sort::sort(numbers(n)))),
    Workload::new("sort-sorted", [16 * M, 10_000, MOST], LOOPS, |_, n| Box::new(sort::sort((0..n as u64).collect()))),
    Workload::new("sort-few", [16 * M, 10_000, MOST], LOOPS, |_, n| Box::new(sort::sort(numbers(n).into_iter().map(|x| x % 16).collect()))),
    Workload::new("sort-strings", [M, 2000, 64 * M], LOOPS, |_, n| Box::new(sort::strings(n))),
    Workload::new("scan", [64 * M, 10_000, MOST], &[Id::SumacJoin], |_, n| Box::new(prefix::scan(n))),
    Workload::new("spawn", [100, 10, 1_000_000], LOOPS, |_, n| Box::new(spawn::spawn(n))),
    Workload::new("tasks", [10_000, 100, M], LOOPS, |_, n| Box::new(spawn::tasks(n))),
    Workload::new("heavy-first", [10_000, 100, M], LOOPS, |_, n| Box::new(heavy::heavy(n, 0))),
    Workload::new("heavy-middle", [10_000, 100, M], LOOPS, |_, n| Box::new(heavy::heavy(n, n / 2))),
    Workload::new("heavy-last", [10_000, 100, M], LOOPS, |_, n| Box::new(heavy::heavy(n, n))),
];
