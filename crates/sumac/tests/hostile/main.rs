//! User code where libraries do not expect it. ARCHITECTURE.md lists the places where it can run;
//! here a hostile value (`value.rs`) is put through all of them, with and without panics.

#[path = "../common/mod.rs"]
mod common;

mod places;
mod seats;
mod structures;
mod tasks;
mod value;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
};

use crate::{
    common::{LONG, assert_usable, within},
    value::Hostile,
};
use sumac::{ThreadPool, ThreadPoolBuilder};

/// A place where user code runs, and a program that takes a hostile value there.
type Place = (&'static str, fn(&Hostile, &ThreadPool));

/// A pool that ignores the panics of detached tasks.
fn forgiving(threads: usize) -> ThreadPool {
    let builder = ThreadPoolBuilder::new()
        .num_threads(threads)
        .panic_handler(drop);
    builder.build().expect("a pool")
}

/// Visits each place with pools of 1, 2 and 4 threads, with values that panic and that do not. A
/// panic may come out or not; nothing may hang, abort or break the pool.
fn visit(places: &'static [Place]) {
    for &(name, place) in places {
        within(LONG, name, move || {
            for (threads, panics) in [(1, false), (2, false), (4, false), (1, true), (2, true)] {
                let (hostile, pool) = (Hostile::new(panics), forgiving(threads));
                if let Err(payload) = attempt(|| place(&hostile, &pool)) {
                    let _ = attempt(|| drop(payload));
                }
                assert!(hostile.was_seen(), "{name}: the value never came there");
                assert_usable(&pool);
            }
        });
    }
}

fn attempt(f: impl FnOnce()) -> thread::Result<()> {
    catch_unwind(AssertUnwindSafe(f))
}
