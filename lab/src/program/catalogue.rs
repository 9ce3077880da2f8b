//! Every program, with its sizes and who can run it. Adding one is a file and a line here.

use super::bvh::Bvh;
use super::floyd::Floyd;
use super::hull::Hull;
use super::json::Json;
use super::life::Life;
use super::lu::Lu;
use super::mandelbrot::Mandelbrot;
use super::mergesort::Mergesort;
use super::nbody::Nbody;
use super::prefix::Prefix;
use super::queens::{self, Queens};
use super::quicksort::Quicksort;
use super::spectral::Spectral;
use super::summed::Summed;
use super::trees::Trees;
use super::triangular::Triangular;
use super::uts::Uts;
use super::visitor::Ast;
use crate::contender::Id;
use crate::problem::fib::Fib;
use crate::workload::Workload;

/// Who runs loops.
pub(crate) const LOOPS: &[Id] = &[Id::Rayon, Id::SumacJoin];
/// Who runs join recursions.
const JOINS: &[Id] = Id::RUNTIMES;

/// The programs, in the order of the tables.
#[rustfmt::skip]
pub(crate) const PROGRAMS: &[Workload] = &[
    Workload::new("fib", "naive Fibonacci number", [35, 12, 45], JOINS, |_, n| Box::new(Fib(n as u32))),
    Workload::new("queens", "n-queens: ways on a board of so many rows", [12, 6, queens::MOST], JOINS, |_, n| Box::new(Queens(n))),
    Workload::new("quicksort", "so many random numbers", [1 << 20, 500, 1 << 28], JOINS, |_, n| Box::new(Quicksort::new(n))),
    Workload::new("mergesort", "so many random numbers", [1 << 20, 500, 1 << 28], JOINS, |_, n| Box::new(Mergesort::new(n))),
    Workload::new("trees", "perfect binary tree of this depth, built and felled", [18, 6, 26], JOINS, |_, n| Box::new(Trees(n))),
    Workload::new("visitor", "visitors of a syntax tree of so many nodes", [1_000_000, 500, 50_000_000], JOINS, |_, n| Box::new(Ast::new(n))),
    Workload::new("bvh", "hierarchy over so many boxes", [200_000, 100, 20_000_000], JOINS, |_, n| Box::new(Bvh::new(n))),
    Workload::new("uts-t1", "unbalanced tree search, geometric, of this depth", [10, 3, 12], JOINS, |_, n| Box::new(Uts::t1(n))),
    Workload::new("uts-t3", "unbalanced tree search, binomial, so many branches", [2000, 2, 10_000], JOINS, |_, n| Box::new(Uts::t3(n))),
    Workload::new("json", "nested document of so many values", [1_000_000, 500, 50_000_000], LOOPS, |_, n| Box::new(Json::new(n))),
    Workload::new("hull", "convex hull of so many points", [2_000_000, 200, 100_000_000], LOOPS, |_, n| Box::new(Hull::new(n))),
    Workload::new("lu", "LU decomposition, so many rows", [512, 12, 8192], LOOPS, |_, n| Box::new(Lu::new(n))),
    Workload::new("floyd", "shortest paths between so many towns", [512, 12, 4096], LOOPS, |_, n| Box::new(Floyd::new(n))),
    Workload::new("spectral", "spectral norm, so many rows", [1000, 20, 20_000], LOOPS, |_, n| Box::new(Spectral::new(n))),
    Workload::new("life", "game of life, so many rows", [1024, 16, 16_384], LOOPS, |_, n| Box::new(Life::new(n))),
    Workload::new("summed", "summed-area table, so many rows", [2048, 16, 16_384], LOOPS, |_, n| Box::new(Summed::new(n))),
    Workload::new("prefix", "prefix sums of so many numbers", [1 << 24, 10_000, 1 << 28], LOOPS, |_, n| Box::new(Prefix::new(n))),
    Workload::new("mandelbrot", "so many rows and columns", [1000, 16, 20_000], LOOPS, |_, n| Box::new(Mandelbrot::new(n))),
    Workload::new("nbody", "so many bodies", [1024, 16, 20_000], LOOPS, |_, n| Box::new(Nbody::new(n))),
    Workload::new("triangular", "loop of so many rows, row i costs i", [16_000, 40, 500_000], LOOPS, |_, n| Box::new(Triangular::new(n))),
];
