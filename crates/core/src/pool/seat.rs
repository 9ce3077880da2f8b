//! A thread's seat in the pool of a task, which it takes if necessary.

use super::{global, queues::WeakPool, seats::Seat, shared::Shared, threads::GUEST};
use crate::join::{
    member::{Member, MemberPtr, site::Line},
    thread::{Current, Thread},
};
use std::{
    ptr,
    rc::Rc,
    sync::{Arc, Weak},
};

/// Calls `f` with the member of the current context, if it is one of `pool`.
pub(crate) fn current_member<R>(
    pool: Option<&Arc<Shared>>,
    f: impl FnOnce(&Member) -> R,
) -> Option<R> {
    let is_its = |member: &Member| pool.is_none_or(|pool| ptr::eq(&**pool, member.shared));
    let thread = Thread::current()?;
    thread.with_member(|me| is_its(me).then(|| f(me)))?
}

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
    let seats = thread.seats.borrow();
    let mut here = seats.iter().map(|seat| seat.member());
    let here = here.find(|member| ptr::eq(member.shared, pool.as_ptr()));
    let worker = here.filter(|member| member.shared().threads.is_worker(member.index));
    worker.map_or(GUEST, |worker| worker.index)
}

/// Calls `f` with the value and the calling thread's member of the current context, if that is one
/// of `pool`, else returns the value.
pub(crate) fn in_current<V, R>(
    pool: &Weak<Shared>,
    value: V,
    f: impl FnOnce(V, &Member) -> R,
) -> Result<R, V> {
    let Some(thread) = Thread::current() else {
        return Err(value);
    };
    // The weak reference keeps the address from being used for another pool.
    thread.with_context(|at, _| match at.map(|at| at.member) {
        Some(me) if ptr::eq(me.shared, pool.as_ptr()) => Ok(f(value, me)),
        _ => Err(value),
    })
}

/// Returns the pool, if it exists and the calling thread is outside of it: [`is_outside`].
pub(crate) fn outside_of(pool: &Weak<Shared>) -> Option<Arc<Shared>> {
    let is_inside = in_current(pool, (), |(), _| ()).is_ok();
    // Nothing is handed over from inside; this saves most joins of promises the upgrade.
    let other = (!is_inside).then(|| pool.upgrade()).flatten();
    other.filter(|pool| is_outside(pool))
}

/// How the calling thread sits in a pool.
enum Sitting {
    /// As the member of the current context.
    Current(MemberPtr),
    /// At this seat, which is ours until this is dropped, whatever user code enters (*in use*).
    At(Rc<Seat>),
}

impl Sitting {
    fn member(&self) -> &Member {
        match self {
            // SAFETY: it lives as long as the context, in which this was made and is used.
            Sitting::Current(member) => unsafe { member.get() },
            Sitting::At(seat) => seat.member(),
        }
    }
}

/// Returns how the calling thread sits in the pool of the current context, else in the global one;
/// `None` if the thread's record has ended.
fn sit_in_current() -> Option<Sitting> {
    let thread = Thread::current()?;
    thread.ensure_base();
    Some(match thread.with_member(MemberPtr::of) {
        Some(member) => Sitting::Current(member),
        // There is no base if the global pool's callers wait.
        None => Sitting::At(thread.seat_in(global::pool().shared())),
    })
}

/// Returns the calling thread's record, and how it sits in `pool`; `None` if either has ended.
#[inline]
fn sit_in(pool: &Weak<Shared>) -> Option<(Current, Sitting)> {
    let thread = Thread::current()?;
    let sitting = match in_current(pool, (), |(), me| MemberPtr::of(me)) {
        Ok(me) => Sitting::Current(me),
        Err(()) => Sitting::At(seat_in(&thread, pool)?),
    };
    Some((thread, sitting))
}

#[cold]
#[inline(never)]
fn seat_in(thread: &Thread, pool: &Weak<Shared>) -> Option<Rc<Seat>> {
    Some(thread.seat_in(&pool.upgrade()?))
}

/// Calls `f` with the value and this thread's member in the pool of the current context, else in
/// the global one. Returns the value if the thread's record has ended.
pub(crate) fn at_current<V, R>(value: V, f: impl FnOnce(V, &Member) -> R) -> Result<R, V> {
    match sit_in_current() {
        Some(sitting) => Ok(f(value, sitting.member())),
        None => Err(value),
    }
}

/// Calls `f` with this thread's member in the current pool, in whose work it takes part meanwhile,
/// for a call on this line; with `None` if the thread's record has ended.
pub(crate) fn taking_part<R>(line: Line, f: impl FnOnce(Option<&Member>) -> R) -> R {
    let sitting = sit_in_current();
    let me = sitting.as_ref().map(Sitting::member);
    let _at = me.map(|me| me.enters(line));
    let _part = me.map(|me| me.site.take_part());
    f(me)
}

/// Calls `f` with the value, this thread's member in `pool`, and whether the current context is one
/// of that pool. Returns the value if the pool or the thread's record has ended.
pub(crate) fn at<V, R>(
    pool: &Weak<Shared>,
    value: V,
    f: impl FnOnce(V, &Thread, &Member, bool) -> R,
) -> Result<R, V> {
    let Some((thread, sitting)) = sit_in(pool) else {
        return Err(value);
    };
    let is_current = matches!(sitting, Sitting::Current(_));
    Ok(f(value, &thread, sitting.member(), is_current))
}

/// Calls `f` in a context of `pool` if possible, with this thread's member there.
// Its locals are not on the stack of a waiter that need not enter one.
#[inline(never)]
pub(crate) fn inside<R>(pool: &Weak<Shared>, f: impl FnOnce(Option<&Member>) -> R) -> R {
    let sitting = sit_in(pool);
    let me = sitting.as_ref().map(|(_, sitting)| sitting.member());
    let (_part, enters) = match &sitting {
        Some((_, Sitting::Current(_))) => (me.map(|me| me.site.take_part()), None),
        Some((thread, Sitting::At(seat))) => (None, Some((&**thread, seat.member(), None))),
        None => (None, None),
    };
    Thread::inside_if(enters, || f(me))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::builder::ThreadPoolBuilder;

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
