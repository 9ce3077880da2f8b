//! Scopes that safe code replaces, moves and forgets inside a join: a scope names its frame, it is
//! not the frame, so nothing breaks (chili waits in the wrong pool for ever).

use std::{
    mem,
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use sumac::{Scope, ThreadPool};

use std::time::Duration;
use sumac_test_support::{LONG, pool, spin, within};

fn other_pool() -> &'static ThreadPool {
    static OTHER: OnceLock<ThreadPool> = OnceLock::new();
    OTHER.get_or_init(|| pool(2))
}

/// Counts the leaves of a tree, slowly enough for some to be given away.
fn leaves(scope: &mut Scope<'_>, depth: u32, ran: &AtomicUsize) {
    if depth == 0 {
        ran.fetch_add(1, Relaxed);
        spin(Duration::from_micros(5));
        return;
    }
    scope.join(|s| leaves(s, depth - 1, ran), |s| leaves(s, depth - 1, ran));
}

fn check(what: &'static str, trick: fn(&mut Scope<'_>, &AtomicUsize)) {
    within(LONG, what, move || {
        let own = pool(2);
        for _ in 0..100 {
            let ran = AtomicUsize::new(0);
            let mut scope = own.scope();
            scope.join(
                |s| {
                    s.join(|s| trick(s, &ran), |s| leaves(s, 2, &ran));
                    leaves(s, 3, &ran);
                },
                |s| leaves(s, 4, &ran),
            );
            leaves(&mut scope, 2, &ran);
            assert_eq!(ran.into_inner(), 16 + 4 + 8 + 16 + 4, "{what}");
        }
    });
}

#[test]
fn scope_replaced_by_another_pools() {
    check("replaced", |s, ran| {
        leaves(s, 3, ran);
        *s = other_pool().scope();
        leaves(s, 3, ran);
    });
}

#[test]
fn scope_moved_out_and_used() {
    check("moved", |s, ran| {
        let mut moved = mem::replace(s, other_pool().scope());
        leaves(&mut moved, 2, ran);
        moved.join(|s| leaves(s, 2, ran), |_| ());
        leaves(s, 2, ran);
        leaves(&mut moved, 2, ran);
    });
}

#[test]
fn scope_swapped_to_and_fro() {
    check("swapped", |s, ran| {
        let mut other = other_pool().scope();
        mem::swap(s, &mut other);
        leaves(s, 2, ran);
        leaves(&mut other, 2, ran);
        mem::swap(s, &mut other);
        leaves(s, 2, ran);
        leaves(&mut other, 2, ran);
    });
}

#[test]
fn scope_forgotten() {
    check("forgotten", |s, ran| {
        leaves(s, 3, ran);
        mem::forget(mem::replace(s, other_pool().scope()));
        leaves(s, 3, ran);
    });
}
