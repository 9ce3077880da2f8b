//! What the tests of sumac's crates share: pools, both styles of join behind one handle, time
//! limits, child processes, ledgers that count drops, keys that have only an order, sizes.

#![forbid(unsafe_code)]

mod children;
mod joins;
mod ledger;
mod only_ord;
mod pools;
mod sizes;
mod time;

pub use self::{
    children::{Ended, child, child_argument, run, run_well},
    joins::{Cx, Style, assert_usable, eat, enter, keep_forking, on_a_worker, sum},
    ledger::{Counted, Ledger, Token, caught, text, throw},
    only_ord::OnlyOrd,
    pools::{
        POOLS, Stopped, held, on_five, on_pools, pool, pools, stopped, waited, waited_builder,
        watched_pool, with_steals,
    },
    sizes::{LENS, cases, sized},
    time::{LONG, alone, assert_soon, dawdle, median, rounds, spin, wait_until, within, work},
};
