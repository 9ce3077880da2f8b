//! Every goal, as data: adding one is adding a line. Those of loops and shared structures hold for
//! two cores.

use super::Limit::{self, AtLeast, AtMost};
use super::{Figure, Goal, Other, Place, Value};
pub(crate) use crate::builds::COUNTED;
use crate::contender::Id;
use crate::experiment::Who;

const SCOPE: Who = Who::Runtime(Id::SumacScope);
const JOIN: Who = Who::Runtime(Id::SumacJoin);
/// The two sequential orders, the plain program first.
pub(super) const SEQUENTIAL: [Who; 2] = [Who::Runtime(Id::Baseline), Who::Runtime(Id::RightFirst)];
/// The plain program.
pub(super) const PLAIN: Other = Other::Who(SEQUENTIAL[0]);

const HOT: &str = "inside, hot";
const COLD: &str = "inside, after 1 ms";
const FRESH: &str = "fresh pool";
const ENTERING: &str = "outside, hot";
const RESTED: &str = "outside, after 100 ms";
/// The mode of records that are milliseconds of CPU time.
pub(crate) const CPU: &str = "CPU time";
/// The mode of records that are wake-ups.
pub(crate) const WAKES: &str = "wake-ups";

const OVER_PLAIN: Figure = figure(", over plain", "×", Value::Over(PLAIN, 1.0));
const SPEED_UP: Figure = figure(", speed-up", "×", Value::Faster(Other::Sequential, 1.0));
const OVER_STATIC: Figure = figure(", over the static split", "×", Value::Over(SPLIT, 1.0));
const PER_FORK: Figure = figure(", added per fork", " ns", beyond(1.0, 63_245_985.0));
const MICROS: Figure = figure(", median", " µs", Value::In(1e3));
const INSTRUCTIONS: Figure = figure(", instructions per node", "", Value::In(1.0));
const CPU_TIME: Figure = figure(", CPU time", " ms", Value::In(1.0));
const WAKE_UPS: Figure = figure(", wake-ups", "", Value::In(1.0));

/// Every goal of fork and join, in the order of the table.
#[rustfmt::skip]
pub(crate) const JOINS: &[Goal] = &[
    goal("tree of 1,023 nodes", at(SCOPE, HOT, 1), OVER_PLAIN, AtMost(1.3)),
    goal("tree of 1,023 nodes", at(JOIN, HOT, 1), OVER_PLAIN, AtMost(1.7)),
    goal("tree of 1,023 nodes", at(SCOPE, COUNTED, 1), INSTRUCTIONS, AtMost(36.0)),
    goal("tree of 1,023 nodes", at(JOIN, COUNTED, 1), INSTRUCTIONS, AtMost(42.0)),
    goal("tree of 1,023 nodes", at(SCOPE, HOT, 2), OVER_PLAIN, AtMost(1.4)),
    goal("tree of 1,023 nodes", at(SCOPE, HOT, 4), OVER_PLAIN, AtMost(1.4)),
    goal("tree of 1,023 nodes", at(SCOPE, HOT, 8), OVER_PLAIN, AtMost(1.4)),
    goal("tree of 1,023 nodes", at(SCOPE, HOT, 32), OVER_PLAIN, AtMost(1.4)),
    goal("tree of 1,023 nodes", at(SCOPE, COLD, 2), OVER_PLAIN, AtMost(1.3)),
    goal("fib(38)", at(SCOPE, HOT, 1), PER_FORK, AtMost(1.4)),
    goal("fib(38)", at(SCOPE, HOT, 2), SPEED_UP, AtLeast(1.0)),
    goal("tree of 16,777,215 nodes", at(SCOPE, HOT, 1), OVER_PLAIN, AtMost(1.1)),
    goal("tree of 16,777,215 nodes", at(SCOPE, HOT, 2), SPEED_UP, AtLeast(1.7)),
    goal("tree of 16,777,215 nodes", at(SCOPE, HOT, 2), OVER_STATIC, AtMost(1.0)),
    goal("spine to the left, 1000 trees of 16,383 nodes", at(SCOPE, HOT, 2), SPEED_UP, AtLeast(1.6)),
    goal("spine to the right, 1000 trees of 16,383 nodes", at(SCOPE, HOT, 2), SPEED_UP, AtLeast(1.6)),
    goal("shape: balanced, 256 × 20 µs", at(SCOPE, HOT, 2), SPEED_UP, AtLeast(1.9)),
    goal("shape: random split, 400 × 20 µs", at(SCOPE, HOT, 2), SPEED_UP, AtLeast(1.9)),
    goal("shape: join(leaf, rest), 400 × 20 µs", at(SCOPE, HOT, 2), SPEED_UP, AtLeast(1.9)),
    goal("shape: join(rest, leaf), 400 × 20 µs", at(SCOPE, HOT, 2), SPEED_UP, AtLeast(1.9)),
    goal("shape: 3 × join(tiny, rest), 32 × 100 µs", at(SCOPE, HOT, 2), SPEED_UP, AtLeast(1.9)),
    goal("shape: 3 × join(rest, tiny), 32 × 100 µs", at(SCOPE, HOT, 2), SPEED_UP, AtLeast(1.9)),
    goal("shape: 16 × join(tiny, rest), 32 × 100 µs", at(SCOPE, HOT, 2), SPEED_UP, AtLeast(1.9)),
    goal("shape: 16 × join(rest, tiny), 32 × 100 µs", at(SCOPE, HOT, 2), SPEED_UP, AtLeast(1.9)),
    goal("coarse: 2 × 10 ms", at(SCOPE, FRESH, 2), over_ideal(0.5), AtMost(1.06)),
    goal("coarse: 2 × 10 ms", at(SCOPE, ENTERING, 2), over_ideal(0.5), AtMost(1.06)),
    goal("coarse: 2 × 10 ms", at(SCOPE, RESTED, 2), over_ideal(0.5), AtMost(1.06)),
    goal("coarse: 4 × 10 ms", at(SCOPE, FRESH, 2), over_ideal(0.5), AtMost(1.06)),
    goal("coarse: 4 × 10 ms", at(SCOPE, ENTERING, 2), over_ideal(0.5), AtMost(1.06)),
    goal("coarse: 4 × 10 ms", at(SCOPE, RESTED, 2), over_ideal(0.5), AtMost(1.06)),
    goal("ramp: 2 × 50 µs", at(SCOPE, HOT, 2), MICROS, AtMost(60.0)),
    goal("ramp: 8 × 20 µs", at(SCOPE, HOT, 2), MICROS, AtMost(90.0)),
    goal("ramp: 64 × 5 µs", at(SCOPE, HOT, 2), MICROS, AtMost(170.0)),
    goal("ramp: 64 × 5 µs", at(SCOPE, COLD, 2), MICROS, AtMost(210.0)),
    goal("ramp: 2 × 50 µs", at(SCOPE, COLD, 2), OVER_PLAIN, AtMost(1.05)),
    goal("ramp: 8 × 20 µs", at(SCOPE, COLD, 2), OVER_PLAIN, AtMost(1.05)),
    goal("idle pool over 5 s, no caller inside", at(SCOPE, CPU, 2), CPU_TIME, AtMost(1.0)),
    goal("idle pool over 5 s, no caller inside", at(SCOPE, WAKES, 2), WAKE_UPS, AtMost(0.0)),
    goal("idle pool over 5 s, no caller inside", at(SCOPE, CPU, 64), CPU_TIME, AtMost(1.0)),
    goal("idle pool over 5 s, no caller inside", at(SCOPE, WAKES, 64), WAKE_UPS, AtMost(0.0)),
    goal("idle pool over 5 s, a sleeping caller inside", at(SCOPE, CPU, 2), CPU_TIME, AtMost(1.0)),
    goal("idle pool over 5 s, a sleeping caller inside", at(SCOPE, WAKES, 2), WAKE_UPS, AtMost(0.0)),
    goal("idle pool over 5 s, a sleeping caller inside", at(SCOPE, CPU, 64), CPU_TIME, AtMost(1.0)),
    goal("idle pool over 5 s, a sleeping caller inside", at(SCOPE, WAKES, 64), WAKE_UPS, AtMost(0.0)),
    goal("entries of 128 outside threads", at(SCOPE, "together", 2), MICROS, AtMost(0.25)),
];

/// The threads that the goals of loops are about.
pub(crate) const THREADS: usize = 2;
const SPLIT: Other = Other::Who(Who::Runtime(Id::StaticSplit));
const RAYON: Other = Other::Who(Who::Runtime(Id::Rayon));
const AGAINST_RAYON: Figure = figure(", against rayon", "×", Value::Faster(RAYON, 1.0));
const AGAINST_SPLIT: Figure = figure(", against the static split", "×", Value::Faster(SPLIT, 1.0));
/// One item is as long as all others.
const AGAINST_IDEAL: Figure = figure(", against the ideal", "×", Value::Faster(PLAIN, 0.5));
const BEYOND_PLAIN: Figure = figure(", beyond 1.1 × plain", " ns", beyond(1.1, 1.0));

/// Every goal of the loops, which are known by their names whatever their sizes.
#[rustfmt::skip]
pub(crate) const LOOPS: &[Goal] = &[
    goal("sum", at(JOIN, HOT, THREADS), AGAINST_RAYON, AtLeast(1.0)),
    goal("sum", at(JOIN, HOT, THREADS), AGAINST_SPLIT, AtLeast(0.95)),
    goal("dot", at(JOIN, HOT, THREADS), AGAINST_RAYON, AtLeast(1.0)),
    goal("dot", at(JOIN, HOT, THREADS), AGAINST_SPLIT, AtLeast(0.95)),
    goal("saxpy", at(JOIN, HOT, THREADS), AGAINST_RAYON, AtLeast(1.0)),
    goal("saxpy", at(JOIN, HOT, THREADS), AGAINST_SPLIT, AtLeast(0.95)),
    goal("histogram", at(JOIN, HOT, THREADS), AGAINST_RAYON, AtLeast(1.0)),
    goal("histogram", at(JOIN, HOT, THREADS), AGAINST_SPLIT, AtLeast(0.95)),
    goal("map-sum-10", at(JOIN, HOT, THREADS), BEYOND_PLAIN, AtMost(50.0)),
    goal("map-sum-100", at(JOIN, HOT, THREADS), BEYOND_PLAIN, AtMost(50.0)),
    goal("map-sum-1000", at(JOIN, HOT, THREADS), BEYOND_PLAIN, AtMost(50.0)),
    goal("nested", at(JOIN, HOT, THREADS), AGAINST_RAYON, AtLeast(3.0)),
    goal("mandelbrot", at(JOIN, HOT, THREADS), AGAINST_RAYON, AtLeast(1.0)),
    goal("mandelbrot", at(JOIN, HOT, THREADS), SPEED_UP, AtLeast(1.85)),
    goal("uts-t1", at(JOIN, HOT, THREADS), AGAINST_RAYON, AtLeast(1.0)),
    goal("uts-t1", at(JOIN, HOT, THREADS), SPEED_UP, AtLeast(1.85)),
    goal("uts-t3", at(JOIN, HOT, THREADS), AGAINST_RAYON, AtLeast(1.0)),
    goal("uts-t3", at(JOIN, HOT, THREADS), SPEED_UP, AtLeast(1.85)),
    goal("triangular", at(JOIN, HOT, THREADS), AGAINST_RAYON, AtLeast(1.0)),
    goal("triangular", at(JOIN, HOT, THREADS), SPEED_UP, AtLeast(1.85)),
    goal("collect", at(JOIN, HOT, THREADS), AGAINST_RAYON, AtLeast(1.0)),
    goal("sort-random", at(JOIN, HOT, THREADS), AGAINST_RAYON, AtLeast(1.0)),
    goal("sort-sorted", at(JOIN, HOT, THREADS), AGAINST_RAYON, AtLeast(1.0)),
    goal("sort-few", at(JOIN, HOT, THREADS), AGAINST_RAYON, AtLeast(1.0)),
    goal("sort-strings", at(JOIN, HOT, THREADS), AGAINST_RAYON, AtLeast(1.0)),
    goal("scan", at(JOIN, HOT, THREADS), SPEED_UP, AtLeast(1.2)),
    goal("spawn", at(JOIN, HOT, THREADS), AGAINST_RAYON, AtLeast(1.0)),
    goal("heavy-first", at(JOIN, HOT, THREADS), AGAINST_IDEAL, AtLeast(0.95)),
    goal("heavy-middle", at(JOIN, HOT, THREADS), AGAINST_IDEAL, AtLeast(0.95)),
    goal("heavy-last", at(JOIN, HOT, THREADS), AGAINST_IDEAL, AtLeast(0.95)),
];

const COUNTER: Who = Who::Named("batched counter");
const SKIP_LIST: Who = Who::Named("skip list");
const TREE: Who = Who::Named("tree");
const BTREE_MAP: Who = Who::Named("BTreeMap");
const MUTEX: Who = Who::Named("Mutex<BTreeMap>");
const RW_LOCK: Who = Who::Named("RwLock<BTreeMap>");
const PARKING_LOT: Who = Who::Named("parking_lot RwLock");
/// Workloads of maps.
const INSERTS: &str = "maps of 1 M, 100 k × 100/0, uniform";
const READS: &str = "maps of 1 M, 100 k × 0/100, uniform";
const FEW_INSERTS: &str = "maps of 1 M, 100 k × 5/95, uniform";
const HALVES: &str = "maps of 1 M, 100 k × 50/50, uniform";
const SKIP_MAP: Who = Who::Named("crossbeam SkipMap");
const NS: Figure = figure("", " ns", Value::In(1.0));
const PER_MS: Figure = figure("", " per ms", Value::Per(1e6));
/// Over what the predecessor's best ordered map reached on two cores of the same machine, in
/// operations per millisecond: with implicit batches, and with one explicit batch.
const OVER_FORK: [Figure; 2] = [over_fork(202.0), over_fork(407.0)];

/// Every goal of shared structures.
#[rustfmt::skip]
pub(crate) const STRUCTURES: &[Goal] = &[
    counters(at(COUNTER, "loop", 1), NS, AtMost(50.0)),
    counters(at(COUNTER, "loop", 2), over(at(Who::Named("Mutex<i64>"), "loop", 2)), AtLeast(1.0)),
    counters(at(COUNTER, "1,000 tasks", 2), over(at(Who::Named("Mutex<i64>"), "1,000 tasks", 2)), AtLeast(1.0)),
    inserts(at(SKIP_LIST, "alone", 1), &[], PER_MS, AtLeast(300.0)),
    inserts(at(SKIP_LIST, "alone", 1), &[], over(at(SKIP_MAP, "alone", 1)), AtLeast(1.0)),
    inserts(at(SKIP_LIST, "one batch", 2), &[], over(at(SKIP_LIST, "one batch", 1)), AtLeast(1.8)),
    inserts(at(TREE, "one batch", 2), &[], over(at(TREE, "one batch", 1)), AtLeast(1.8)),
    inserts(at(TREE, "one batch", 1), &[], over(at(TREE, "sorted", 1)), AtLeast(1.0)),
    inserts(at(TREE, "one batch", 1), &[], over(at(BTREE_MAP, "sorted", 1)), AtLeast(1.0)),
    inserts(at(TREE, "one batch", 2), &[], over(at(TREE, "sorted", 1)), AtLeast(1.7)),
    inserts(at(TREE, "one batch", 2), &[], over(at(BTREE_MAP, "sorted", 1)), AtLeast(1.7)),
    inserts(at(TREE, "threads", 1), &[], over(at(MUTEX, "threads", 1)), AtLeast(0.95)),
    inserts(at(TREE, "threads", 1), &[], over(at(RW_LOCK, "threads", 1)), AtLeast(0.95)),
    inserts(at(TREE, "threads", 2), &[], over(at(MUTEX, "threads", 2)), AtLeast(0.95)),
    inserts(at(TREE, "threads", 2), &[], over(at(PARKING_LOT, "threads", 2)), AtLeast(0.95)),
    inserts(at(TREE, "loop", 2), &[], over(at(MUTEX, "loop", 2)), AtLeast(1.0)),
    inserts(at(TREE, "loop", 2), &[], over(at(PARKING_LOT, "loop", 2)), AtLeast(1.0)),
    goal(READS, at(TREE, "threads", 2), over(at(RW_LOCK, "threads", 2)), AtLeast(1.0)),
    goal(READS, at(TREE, "threads", 2), over(at(PARKING_LOT, "threads", 2)), AtLeast(1.0)),
    goal(FEW_INSERTS, at(TREE, "threads", 2), over(at(RW_LOCK, "threads", 2)), AtLeast(1.0)),
    goal(FEW_INSERTS, at(TREE, "threads", 2), over(at(PARKING_LOT, "threads", 2)), AtLeast(1.0)),
    goal(HALVES, at(TREE, "threads", 2), over(at(MUTEX, "threads", 2)), AtLeast(0.95)),
    goal(HALVES, at(TREE, "threads", 2), over(at(PARKING_LOT, "threads", 2)), AtLeast(0.95)),
    inserts(at(SKIP_LIST, "1,000 tasks", 2), &[], over(at(SKIP_LIST, "alone", 1)), AtLeast(1.5)),
    inserts(at(SKIP_LIST, "10,000 tasks", 2), &[], over(at(SKIP_LIST, "alone", 1)), AtLeast(1.5)),
    inserts(at(SKIP_LIST, "1,000 tasks", 2), &[], over(at(MUTEX, "1,000 tasks", 2)), AtLeast(2.0)),
    inserts(at(SKIP_LIST, "10,000 tasks", 2), &[], over(at(MUTEX, "10,000 tasks", 2)), AtLeast(2.0)),
    inserts(at(SKIP_LIST, "1,000 tasks", 2), &[], over(at(SKIP_MAP, "loop", 2)), AtLeast(1.0)),
    inserts(at(SKIP_LIST, "10,000 tasks", 2), &[], over(at(SKIP_MAP, "loop", 2)), AtLeast(1.0)),
    inserts(at(TREE, "1,000 tasks", 1), &[], over(at(MUTEX, "1,000 tasks", 1)), AtLeast(1.2)),
    inserts(at(TREE, "1,000 tasks", 1), &[], over(at(RW_LOCK, "1,000 tasks", 1)), AtLeast(1.2)),
    inserts(at(TREE, "1,000 tasks", 2), &[], over(at(RW_LOCK, "1,000 tasks", 2)), AtLeast(1.2)),
    inserts(at(TREE, "1,000 tasks", 2), &[], over(at(TREE, "alone", 1)), AtLeast(1.5)),
    inserts(at(TREE, "10,000 tasks", 2), &[], over(at(TREE, "alone", 1)), AtLeast(1.5)),
    inserts(at(TREE, "1,000 tasks", 2), &[], over(at(MUTEX, "1,000 tasks", 2)), AtLeast(2.0)),
    inserts(at(TREE, "10,000 tasks", 2), &[], over(at(MUTEX, "10,000 tasks", 2)), AtLeast(2.0)),
    inserts(at(TREE, "1,000 tasks", 2), &[], over(at(SKIP_MAP, "loop", 2)), AtLeast(1.0)),
    inserts(at(TREE, "10,000 tasks", 2), &[], over(at(SKIP_MAP, "loop", 2)), AtLeast(1.0)),
    inserts(at(SKIP_LIST, "1,000 tasks", 2), IMPLICIT, OVER_FORK[0], AtLeast(3.0)),
    inserts(at(SKIP_LIST, "one batch", 2), EXPLICIT, OVER_FORK[1], AtLeast(3.0)),
];

/// Any of the maps here.
const IMPLICIT: &[Place] = &[
    at(SKIP_LIST, "10,000 tasks", 2),
    at(TREE, "1,000 tasks", 2),
    at(TREE, "10,000 tasks", 2),
];
const EXPLICIT: &[Place] = &[at(TREE, "one batch", 2)];

const FLOOR: Other = Other::Who(Who::Named("floor"));
const THREADED: Other = Other::Who(Who::Named("sumac"));
const FIRST: Other = Other::Who(Who::Named("c-first"));
const OF_FLOOR: Figure = figure(", read rate over the floor's", "×", Value::Part(FLOOR));
const FEW_MICROS: Figure = figure("", " µs", Value::In(1e3));
const FEW_MILLIS: Figure = figure("", " ms", Value::In(1e6));
const OVER_THREADS: Figure = figure(", over sumac's threads", "×", Value::Over(THREADED, 1.0));
const OVER_TWO: Figure = figure(", over two ranks", "×", Value::Over(Other::On(2), 1.0));
const OVER_FIRST: Figure = figure(
    ", times as fast as the first in C",
    "×",
    Value::Faster(FIRST, 1.0),
);

/// Every goal of the adders.
#[rustfmt::skip]
pub(crate) const ADDERS: &[Goal] = &[
    adders("2^29 bytes", "sumac", 1, OF_FLOOR, AtLeast(0.9)),
    adders("2^29 bytes", "sumac", 2, OF_FLOOR, AtLeast(0.9)),
    adders("2^20 bytes", "sumac", 2, FEW_MICROS, AtMost(25.0)),
    adders("2^29 bytes", "sumac-mpi", 2, OVER_THREADS, AtMost(1.15)),
    adders("2^29 bytes", "sumac-mpi-messages", 2, FEW_MILLIS, AtMost(55.0)),
    adders("2^29 bytes", "sumac-mpi-messages", 2, OVER_FIRST, AtLeast(5.0)),
    adders("2^24 bytes", "sumac-mpi", 16, OVER_TWO, AtMost(3.0)),
    adders("2^24 bytes", "sumac-mpi-messages", 16, OVER_TWO, AtMost(3.0)),
    adders("2^24 bytes", "c", 16, OVER_TWO, AtMost(3.0)),
];

const fn figure(words: &'static str, unit: &'static str, value: Value) -> Figure {
    Figure { words, unit, value }
}

const fn beyond(factor: f64, per: f64) -> Value {
    Value::Beyond { factor, per }
}

/// Over the time of the longest share, which is this part of the plain program's.
const fn over_ideal(share: f64) -> Figure {
    figure(", over the ideal", "×", Value::Over(PLAIN, 1.0 / share))
}

/// Its throughput over that there.
const fn over(place: Place) -> Figure {
    figure("", "×", Value::Faster(Other::At(place), 1.0))
}

const fn over_fork(reached: f64) -> Figure {
    let words = ", best map here over the fork's best";
    figure(words, "×", Value::Per(1e6 / reached))
}

const fn at(who: Who, mode: &'static str, threads: usize) -> Place {
    Place { who, mode, threads }
}

const fn goal(experiment: &'static str, of: Place, figure: Figure, limit: Limit) -> Goal {
    Goal {
        experiment,
        title: experiment,
        of,
        or: &[],
        figure,
        limit,
    }
}

const fn counters(of: Place, figure: Figure, limit: Limit) -> Goal {
    let title = "increments";
    Goal {
        title,
        ..goal("counters", of, figure, limit)
    }
}

const fn inserts(of: Place, or: &'static [Place], figure: Figure, limit: Limit) -> Goal {
    let (experiment, title) = (INSERTS, "100 k insertions into 1 M");
    Goal {
        title,
        or,
        ..goal(experiment, of, figure, limit)
    }
}

const fn adders(
    experiment: &'static str,
    who: &'static str,
    kernels: usize,
    figure: Figure,
    limit: Limit,
) -> Goal {
    goal(experiment, at(Who::Named(who), "", kernels), figure, limit)
}
