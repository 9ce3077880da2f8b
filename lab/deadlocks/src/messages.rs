//! As many tasks as threads send each other their shares of a table, and each goes on until it
//! has had all that is meant for it. Before it sends, a task gathers rows, with a `join` inside.
//! Its thread waits there, and takes a task that has not begun, which waits for the rows of the
//! one below.
//!
//! <https://github.com/pola-rs/polars/pull/22159>

use std::sync::mpsc;

use crate::{Case, Owner, THREADS};

pub(crate) const CASE: Case = Case {
    name: "messages",
    source: "pola-rs/polars#22159",
    waits: "task: message of the task below",
    rounds: 100,
    round,
};

fn round() {
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..THREADS).map(|_| mpsc::channel()).unzip();
    rayon::scope(|scope| {
        for receiver in receivers {
            let senders = senders.clone();
            scope.spawn(move |_| {
                let owner = Owner::here();
                for sender in senders {
                    sender
                        .send(gather(owner, 8))
                        .expect("the receiver is there");
                }
                let rows: u32 = receiver.iter().take(THREADS).sum();
                assert_eq!(rows, 8 * THREADS as u32);
            });
        }
    });
}

fn gather(owner: Owner, rows: u32) -> u32 {
    if rows == 1 {
        owner.part();
        return 1;
    }
    let half = || gather(owner, rows / 2);
    let (left, right) = rayon::join(half, half);
    left + right
}
