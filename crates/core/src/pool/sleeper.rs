//! A thread of a pool that sleeps until it is needed: its leader, or its reserve.
//!
//! Invariant *named first*: the thread says where it sits before it goes dormant, so the thread
//! that ends its sleep sees that.

use crate::{
    join::member::Member,
    protocol::{
        dormancy::Dormancy,
        primitive::{AtomicPtr, Ordering},
    },
};
use std::ptr;

pub(crate) struct Sleeper {
    dormancy: Dormancy,
    /// A member of the pool that this is a part of, once one has been dormant.
    who: AtomicPtr<Member>,
}

impl Sleeper {
    pub(crate) fn new() -> Self {
        Sleeper {
            dormancy: Dormancy::new(),
            who: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// The thread that sits on `me`, the calling one, goes dormant: [`Dormancy::enter`].
    pub(crate) fn enter(
        &self,
        me: &Member,
        raise_all: impl Fn(),
        anything_offered: impl Fn() -> bool,
    ) -> bool {
        self.who
            .store(ptr::from_ref(me).cast_mut(), Ordering::Release);
        self.dormancy.enter(raise_all, anything_offered)
    }

    /// Before the pool is shared: the thread that is to sit on `member` is dormant until it is
    /// started.
    pub(crate) fn begin_dormant(&self, member: &Member) {
        self.who
            .store(ptr::from_ref(member).cast_mut(), Ordering::Relaxed);
        self.dormancy.begin();
    }

    pub(crate) fn is_dormant(&self) -> bool {
        self.dormancy.is_dormant()
    }

    /// After a publication: the thread, if it is dormant and the caller has to unpark it.
    pub(crate) fn wake(&self) -> Option<&Member> {
        if !self.dormancy.wake() {
            return None;
        }
        // SAFETY: null, or set by the thread that went dormant (*named first*); members live as
        // long as the pool, which this is a part of.
        unsafe { self.who.load(Ordering::Acquire).as_ref() }
    }
}
