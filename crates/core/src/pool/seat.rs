//! A thread's seat in the pool of a task, which it takes if necessary.

use super::{global, queues::WeakPool, shared::Shared, thread_pool::current_member};
use crate::join::{
    member::{GUEST, Member, site::Line},
    thread::Thread,
};
use std::{
    ptr,
    sync::{Arc, Weak},
};

/// Returns the pool of new tasks of this thread: that of the current context, else the global one.
pub(crate) fn current_pool() -> Arc<Shared> {
    let current = current_member(None, |member| member.shared().this.upgrade());
    current
        .flatten()
        .unwrap_or_else(|| Arc::clone(global::pool().shared()))
}

/// Returns whether the calling thread must hand its work in `pool` over, since it is none of the
/// pool's threads.
pub(crate) fn is_outside(pool: &Shared) -> bool {
    pool.hands_over() && !Thread::current().is_some_and(|thread| thread.works_in(pool))
}

/// Returns the index in `pool` of the calling thread, whose record this is, if it is one of the
/// pool's threads, and no spare, else `GUEST`.
pub(crate) fn index_in(thread: &Thread, pool: &WeakPool) -> usize {
    let mut own = (0..).map_while(|nth| thread.own(nth));
    let here = own.find(|member| ptr::eq(member.shared, pool.as_ptr()));
    let here = here.filter(|member| member.shared().threads.is_worker(member.index));
    here.map_or(GUEST, |member| member.index)
}

/// Returns the calling thread's member of the current context, if that is one of `pool`.
pub(crate) fn current_in<'t>(thread: &'t Thread, pool: &Weak<Shared>) -> Option<&'t Member> {
    let current = thread.current_member();
    // The weak reference keeps the address from being used for another pool.
    current.filter(|member| ptr::eq(member.shared, pool.as_ptr()))
}

/// Returns the pool, if it exists and the calling thread is outside of it: [`is_outside`].
pub(crate) fn outside_of(pool: &Weak<Shared>) -> Option<Arc<Shared>> {
    let is_inside = Thread::current().is_some_and(|thread| current_in(&thread, pool).is_some());
    // Nothing is handed over from inside; this saves most joins of promises the upgrade.
    let other = (!is_inside).then(|| pool.upgrade()).flatten();
    other.filter(|pool| is_outside(pool))
}

/// Calls `f` with the value and this thread's member in the pool of the current context, else in
/// the global one. Returns the value if the thread's record has ended.
pub(crate) fn at_current<V, R>(value: V, f: impl FnOnce(V, &Member) -> R) -> Result<R, V> {
    let Some(thread) = Thread::current() else {
        return Err(value);
    };
    thread.ensure_base();
    if let Some(me) = thread.current_member() {
        return Ok(f(value, me));
    }
    // There is no base if the global pool's callers wait.
    let seat = thread.seat_in(global::pool().shared());
    Ok(f(value, seat.member()))
}

/// Calls `f`, in which the calling thread takes part in the work of the current pool, for a call on
/// this line.
pub(crate) fn taking_part<R>(line: Line, f: impl FnOnce() -> R) -> R {
    let result = at_current(f, |f, me| {
        let _at = me.enters(line);
        let _part = me.site.take_part();
        f()
    });
    result.unwrap_or_else(|f| f())
}

/// Calls `f` with the value, this thread's member in `pool`, and whether the current context is one
/// of that pool. Returns the value if the pool or the thread's record has ended.
pub(crate) fn at<V, R>(
    pool: &Weak<Shared>,
    value: V,
    f: impl FnOnce(V, &Thread, &Member, bool) -> R,
) -> Result<R, V> {
    let Some(thread) = Thread::current() else {
        return Err(value);
    };
    if let Some(me) = current_in(&thread, pool) {
        return Ok(f(value, &thread, me, true));
    }
    let Some(pool) = pool.upgrade() else {
        return Err(value);
    };
    let seat = thread.seat_in(&pool);
    drop(pool);
    // It is ours until `f` has returned, whatever user code that runs there enters (*in use*).
    Ok(f(value, &thread, seat.member(), false))
}

/// Calls `f` in a context of `pool` if possible, with this thread's member there.
pub(crate) fn inside<R>(pool: &Weak<Shared>, f: impl FnOnce(Option<&Member>) -> R) -> R {
    let result = at(pool, f, |f, thread, me, is_current| {
        if is_current {
            let _part = me.site.take_part();
            f(Some(me))
        } else {
            thread.inside(me, || f(Some(me)))
        }
    });
    result.unwrap_or_else(|f| f(None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ThreadPoolBuilder;

    /// A task may run in a pool that is being dropped, and enter another.
    #[test]
    fn a_seat_in_use_is_kept() {
        let build = || ThreadPoolBuilder::new().num_threads(1).build();
        let pool = build().expect("a pool");
        let shared = Arc::clone(pool.shared());
        drop(pool);
        let this = Arc::downgrade(&shared);
        let enter_another = |me: &Member| {
            build().expect("another pool").install(|| ());
            assert!(
                me.demand.flag.is_attached(),
                "another thread may sit here now"
            );
        };
        inside(&this, |me| enter_another(me.expect("its memory is there")));
        // As a waiter, outside of all contexts of the pool.
        let waited = at(&this, (), |(), _, me, is_current| {
            assert!(!is_current);
            enter_another(me);
        });
        assert!(waited.is_ok());
        build().expect("a third pool").install(|| ());
        assert_eq!(Arc::strong_count(&shared), 1, "the seat was given up later");
    }
}
