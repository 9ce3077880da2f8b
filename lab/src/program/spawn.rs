//! Tasks that do nothing: what do starting them and waiting for them cost? The baseline calls.

use std::{
    hint::black_box,
    sync::atomic::{AtomicU64, Ordering},
};

use super::library::Loop;

/// So many tasks, one after the other: one of sumac's has a promise, one of rayon's a scope.
pub(super) fn spawn(count: usize) -> Loop<usize> {
    let texts: [fn(&usize) -> u64; 3] = [
        |count| each(*count, || ()),
        |count| each(*count, || rayon::scope(|s| s.spawn(|_| ()))),
        |count| each(*count, || sumac::spawn(|| ()).join()),
    ];
    Loop::new(count, texts, count as u64)
}

fn each(count: usize, task: fn()) -> u64 {
    (0..count).for_each(|_| black_box(task)());
    count as u64
}

/// So many tasks of one scope, each of which spawns up to two others, and leaves a mark.
pub(super) fn tasks(count: usize) -> Loop<[AtomicU64]> {
    let marks: Vec<_> = (0..count).map(|_| AtomicU64::new(0)).collect();
    let texts: [fn(&[AtomicU64]) -> u64; 3] = [
        |marks| counted(marks, plain),
        |marks| counted(marks, |marks| rayon::scope(|s| rayon_task(s, marks))),
        |marks| counted(marks, |marks| sumac::scope(|s| sumac_task(s, marks))),
    ];
    Loop::new(marks, texts, count as u64)
}

/// Leaves the first mark. Returns the halves of the others, if there are some.
fn mark(marks: &[AtomicU64]) -> impl Iterator<Item = &[AtomicU64]> {
    let (first, others) = marks.split_first().expect("a task has a mark");
    first.store(1, Ordering::Relaxed);
    others.chunks(others.len().div_ceil(2).max(1))
}

fn plain(marks: &[AtomicU64]) {
    mark(marks).for_each(plain);
}

fn rayon_task<'s>(scope: &rayon::Scope<'s>, marks: &'s [AtomicU64]) {
    mark(marks).for_each(|half| scope.spawn(|scope| rayon_task(scope, half)));
}

fn sumac_task<'s>(scope: &sumac::TaskScope<'s>, marks: &'s [AtomicU64]) {
    mark(marks).for_each(|half| scope.spawn(|scope| sumac_task(scope, half)));
}

/// Counts the marks that `run` leaves, and removes them.
fn counted(marks: &[AtomicU64], run: fn(&[AtomicU64])) -> u64 {
    run(marks);
    let found = marks.iter().map(|mark| mark.load(Ordering::Relaxed)).sum();
    marks
        .iter()
        .for_each(|mark| mark.store(0, Ordering::Relaxed));
    found
}
