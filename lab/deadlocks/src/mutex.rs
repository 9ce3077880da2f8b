//! A loop over items calls a function that locks a list and goes over it in parallel, too. The
//! thread that has the lock waits for a part of the list that another thread runs. Meanwhile it
//! takes the next item of the loop, on top of its stack, and waits for the lock that it holds.
//!
//! <https://github.com/rayon-rs/rayon/issues/592>

use std::sync::Mutex;

use rayon::prelude::*;

use crate::{Case, Owner};

pub(crate) const CASE: Case = Case {
    name: "mutex",
    source: "rayon-rs/rayon#592",
    waits: "item: mutex held by the item below",
    rounds: 60,
    round,
};

fn round() {
    let list = Mutex::new(vec![1; 16]);
    let sums: Vec<i32> = (0..16)
        .into_par_iter()
        .map(|_| sum_of(&list.lock().expect("no panics")))
        .collect();
    assert_eq!(sums, [16; 16]);
}

fn sum_of(list: &[i32]) -> i32 {
    let owner = Owner::here();
    list.par_iter().inspect(|_| owner.part()).sum()
}
