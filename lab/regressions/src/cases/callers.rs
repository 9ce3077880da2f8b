//! A service's threads search an index at once. The pool's size is the limit of all: with a pool of
//! one thread, they wait for it one after the other.
//!
//! <https://github.com/RyanCodrai/turbovec/issues/336>

use std::thread;

use super::library::prelude::*;
use crate::{Call, Case, Form, wrapping};

pub(super) const CASE: Case = Case {
    name: "callers",
    source: "RyanCodrai/turbovec#336",
    threads: Some(1),
    is_about_cpu: false,
    prepare,
};

const CALLERS: u64 = 4;
const SEARCHES: u64 = 16;
const VECTORS: usize = 4096;
const LENGTH: usize = 32;

fn prepare(form: Form) -> Call {
    let coordinate = |i: usize| i16::try_from(i * 37 % 201).expect("it is small") - 100;
    let index: Vec<[i16; LENGTH]> = (0..VECTORS)
        .map(|vector| std::array::from_fn(|i| coordinate(vector * LENGTH + i)))
        .collect();
    form.call(
        index,
        |index| {
            serve(index, |index, query| {
                index.iter().map(|vector| score(vector, query)).max()
            })
        },
        |index| {
            serve(index, |index, query| {
                index.par_iter().map(|vector| score(vector, query)).max()
            })
        },
    )
}

type Vector = [i16; LENGTH];

fn serve(index: &[Vector], search: fn(&[Vector], &Vector) -> Option<i32>) -> u64 {
    let caller = |caller: u64| {
        let searches = (0..SEARCHES).map(|i| {
            let query = index[(caller * 1000 + i * 31) as usize % VECTORS];
            let best = search(index, &query).expect("there are vectors");
            u64::from(best.unsigned_abs())
        });
        wrapping(searches)
    };
    thread::scope(|threads| {
        let callers: Vec<_> = (0..CALLERS)
            .map(|number| threads.spawn(move || caller(number)))
            .collect();
        let answers = callers.into_iter().map(thread::ScopedJoinHandle::join);
        wrapping(answers.map(|answer| answer.expect("no panics")))
    })
}

// Else the compiler computes several at once in one form, and does so badly.
#[inline(never)]
fn score(vector: &Vector, query: &Vector) -> i32 {
    let products = vector.iter().zip(query);
    products.map(|(&a, &b)| i32::from(a) * i32::from(b)).sum()
}
