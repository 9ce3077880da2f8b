//! Workers execute the transactions of a block in order and at once: each takes the next one. One
//! that reads what an earlier one writes waits on a condition variable until that is done, which
//! it will be, since the earliest is always being executed. Unless it computes in parallel, and
//! its thread, which waits for a part, takes a part of a later transaction.
//!
//! <https://github.com/aptos-labs/aptos-core/pull/19643>

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

use rayon::prelude::*;

use crate::{Case, Owner, THREADS};

pub(crate) const CASE: Case = Case {
    name: "block-stm",
    source: "aptos-labs/aptos-core#19643",
    waits: "part: an earlier transaction, which is below",
    rounds: 100,
    round,
};

const TRANSACTIONS: usize = 32;

fn round() {
    let next = AtomicUsize::new(0);
    let (done, changed) = (Mutex::new([false; TRANSACTIONS]), Condvar::new());
    let worker = || {
        loop {
            let mine = next.fetch_add(1, Ordering::Relaxed);
            if mine >= TRANSACTIONS {
                break;
            }
            let owner = Owner::here();
            (0..8).into_par_iter().for_each(|part| {
                if part == 7 && mine > 0 {
                    let done = done.lock().expect("no panics");
                    drop(changed.wait_while(done, |done| !done[mine - 1]));
                }
                owner.part();
            });
            done.lock().expect("no panics")[mine] = true;
            changed.notify_all();
        }
    };
    rayon::scope(|scope| (0..THREADS).for_each(|_| scope.spawn(|_| worker())));
}
