//! User code where libraries do not expect it. docs/inside.md lists the places where it can run;
//! here a hostile value (`value.rs`) is put through all of them, with and without panics.

mod places;
mod seats;
mod structures;
mod tasks;
mod value;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
};

use crate::value::Hostile;
use sumac::{
    Callers::{self, TakePart, Wait},
    ThreadPool, ThreadPoolBuilder,
};
use sumac_test_support::{LONG, assert_usable, within};

/// A place where user code runs, and a program that takes a hostile value there.
type Place = (&'static str, fn(&Hostile, &ThreadPool));

/// A pool that ignores the panics of detached tasks.
fn forgiving(threads: usize) -> ThreadPool {
    forgiving_to(TakePart, threads)
}

fn forgiving_to(callers: Callers, threads: usize) -> ThreadPool {
    let builder = ThreadPoolBuilder::new()
        .num_threads(threads)
        .callers(callers)
        .panic_handler(drop);
    builder.build().expect("a pool")
}

/// Visits each place with pools of 1, 2 and 4 threads and both kinds of callers that work, with
/// values that panic and that do not. A panic may come out or not; nothing may hang, abort or break
/// the pool.
fn visit(places: &'static [Place]) {
    for &(name, place) in places {
        within(LONG, name, move || {
            let pools = [
                (1, TakePart, false),
                (2, TakePart, false),
                (4, TakePart, false),
                (1, TakePart, true),
                (2, TakePart, true),
                (1, Wait, true),
                (2, Wait, false),
                (2, Wait, true),
            ];
            for (threads, callers, panics) in pools {
                let (hostile, pool) = (Hostile::new(panics), forgiving_to(callers, threads));
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
