//! A table is computed when it is first needed, in parallel, and it is first needed in a parallel
//! loop. The thread that computes it waits for a part, takes another item of the loop, and that
//! waits until the table is there.
//!
//! <https://github.com/rayon-rs/rayon/issues/1251>

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::{Case, Owner, work};

pub(crate) const CASE: Case = Case {
    name: "once-lock",
    source: "rayon-rs/rayon#1251",
    waits: "task: table that the task below computes",
    rounds: 200,
    round,
};

fn round() {
    let table = OnceLock::new();
    rayon::scope(|scope| {
        for task in 0..32 {
            let table = &table;
            scope.spawn(move |_| match task % 4 {
                0 => assert_eq!(table.get_or_init(compute).len(), 16),
                _ => work(),
            });
        }
    });
}

fn compute() -> Vec<usize> {
    let owner = Owner::here();
    (0..16).into_par_iter().inspect(|_| owner.part()).collect()
}
