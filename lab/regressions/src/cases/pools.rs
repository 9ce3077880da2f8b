//! Readers and a writer, each with a pool of its own, and vectors are scored in the global one:
//! three times as many threads as processors.
//!
//! <https://github.com/infino-ai/infino/issues/304>

use std::sync::mpsc::channel;
use std::thread;

use super::library::{self, ThreadPool, ThreadPoolBuilder, prelude::*};
use crate::{Call, Case, Form, compute, wrapping};

pub(super) const CASE: Case = Case {
    name: "pools",
    source: "infino-ai/infino#304",
    threads: None,
    is_about_cpu: false,
    prepare,
};

const READERS: u64 = 8;
const QUERIES: u64 = 4;
const ITEMS: u64 = 64;
const STEPS: u32 = 300;

struct Pools {
    readers: ThreadPool,
    writer: ThreadPool,
}

fn prepare(form: Form) -> Call {
    let pool = || ThreadPoolBuilder::new().build().expect("a pool");
    let pools = Pools {
        readers: pool(),
        writer: pool(),
    };
    form.call(
        pools,
        |_| serve(one_by_one, one_by_one, one_by_one),
        |pools| {
            let read = |seed| pools.readers.install(|| in_parallel(seed));
            let write = |seed| pools.writer.install(|| in_parallel(seed));
            let score = |seed| {
                let (send, receive) = channel();
                library::spawn(move || send.send(in_parallel(seed)).expect("it is awaited"));
                receive.recv().expect("an answer")
            };
            serve(read, score, write)
        },
    )
}

type Work<'w> = dyn Fn(u64) -> u64 + Sync + 'w;

fn serve(
    read: impl Fn(u64) -> u64 + Sync,
    score: impl Fn(u64) -> u64 + Sync,
    write: impl Fn(u64) -> u64 + Sync,
) -> u64 {
    let (read, score, write): (&Work<'_>, &Work<'_>, &Work<'_>) = (&read, &score, &write);
    let reader = move |reader| {
        let queries = (0..QUERIES).map(|i| read(reader + i) ^ score(reader + i));
        wrapping(queries)
    };
    thread::scope(|threads| {
        let writer = threads.spawn(move || wrapping((0..4 * QUERIES).map(write)));
        let readers: Vec<_> = (0..READERS)
            .map(|number| threads.spawn(move || reader(number)))
            .collect();
        let all = readers.into_iter().chain([writer]);
        wrapping(all.map(|thread| thread.join().expect("no panics")))
    })
}

fn one_by_one(seed: u64) -> u64 {
    wrapping((0..ITEMS).map(|item| compute(seed + item, STEPS)))
}

fn in_parallel(seed: u64) -> u64 {
    let items = (0..ITEMS).into_par_iter();
    items
        .map(|item| compute(seed + item, STEPS))
        .reduce(|| 0, u64::wrapping_add)
}
