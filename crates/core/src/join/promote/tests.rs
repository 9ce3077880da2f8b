//! A thread that is asked for more than a tick gives, or for what it can give only in another pool,
//! has its attention raised (`models/dormancy.rs`, `models/pools.rs`).

use crate::{
    join::{
        hot_path::join,
        thread::{Thread, raise_attention},
        word::with_word,
    },
    pool::{builder::ThreadPoolBuilder, thread_pool::ThreadPool},
    protocol::{attention::ATTENTION, primitive::Ordering},
};

/// Of one thread, which no worker asks for anything.
fn pool() -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(1);
    builder.build().expect("a pool")
}

fn is_raised() -> bool {
    with_word(|word| word.load(Ordering::Relaxed)) == ATTENTION
}

fn lower() {
    let thread = Thread::current().expect("a thread");
    thread.lower_attention();
    assert!(!is_raised());
}

/// So many jobs are asked for in the innermost pool.
fn ask(jobs: u32) {
    let thread = Thread::current().expect("a thread");
    let asked = thread.with_member(|me| {
        me.demand.leave(jobs);
        me.demand.leave_at_most(jobs);
    });
    asked.expect("a pool");
}

/// It raises the attention again, since it can give one job where two are asked for. Had it lowered
/// the attention after that, it would be down.
#[test]
fn a_tick_lowers_the_attention_first() {
    let pool = pool();
    pool.install(|| {
        ask(2);
        raise_attention();
        let (raised, ()) = join(is_raised, || ());
        assert!(raised, "in a plain join");
        ask(2);
        raise_attention();
        let (raised, ()) = pool.scope().join(|_| is_raised(), |_| ());
        assert!(raised, "in a scope's join");
    });
}

#[test]
fn a_thread_that_enters_a_pool_or_leaves_it_looks_what_is_asked_for() {
    let [outer, inner] = [pool(), pool()];
    outer.install(|| {
        inner.install(|| ask(1));
        lower();
        inner.install(|| {
            assert!(is_raised(), "in the inner one something is asked for");
            ask(0);
        });
        ask(1);
        inner.install(lower);
        assert!(is_raised(), "in the outer one something is asked for");
    });
}
