use super::*;
use crate::pool::{global, thread_pool::ThreadPool};
use std::{
    panic::{self, AssertUnwindSafe},
    time::{Duration, Instant},
};

fn count() -> (usize, usize) {
    let thread = Thread::current().expect("a record");
    let (lent, free) = (thread.lent_roots.borrow(), thread.free_roots.borrow());
    assert!((0..).zip(&*lent).all(|(at, root)| root.lent_at.get() == at));
    (lent.len(), free.len())
}

#[test]
fn scopes_end_in_any_order() {
    let pool: &ThreadPool = global::pool();
    let mut scopes: Vec<_> = (0..4).map(|_| Some(pool.scope())).collect();
    for (ended, at) in [1, 0, 3, 2].into_iter().enumerate() {
        assert_eq!(count(), (4 - ended, ended));
        scopes[at] = None;
    }
    assert_eq!(count(), (0, 4));
    let many = if cfg!(miri) { 10 } else { 20_000 };
    let scopes: Vec<_> = (0..many).map(|_| pool.scope()).collect();
    let start = Instant::now();
    drop(scopes);
    let time = start.elapsed();
    assert!(time < Duration::from_secs(2), "each looks for its root");
    assert_eq!(count(), (0, many));
}

#[test]
fn a_scope_that_is_left_in_a_frame_is_returned() {
    let pool: &ThreadPool = global::pool();
    let mut scope = pool.scope();
    // Most of the joins are not asked for work.
    for _ in 0..10 {
        scope.join(|s| *s = pool.scope(), |_| ());
        assert_eq!(count(), (1, 1));
    }
    let panics = |s: &mut Scope<'_>| {
        *s = pool.scope();
        panic::resume_unwind(Box::new(()));
    };
    let join = AssertUnwindSafe(|| scope.join(panics, |_| ()));
    assert!(panic::catch_unwind(join).is_err());
    assert_eq!(count(), (1, 1));
    let split = || None::<()>;
    scope.splitting(&split, &|(), _| (), |parts| *parts.scope() = pool.scope());
    assert_eq!(count(), (1, 1));
}
