//! A member's inbox: calls that only the thread seated there may take, made by broadcasts.
//!
//! A worker looks into its inbox before anything else, and sleepers are woken for it. A thread that waits answers calls that
//! descend from what it waits for; else whoever called from there would wait for it in turn. One
//! that waits for its own broadcast answers all calls until that has ended: two that broadcast at
//! once wait for each other, or for threads that answer one and call the other from there. So does
//! one that yields.

use super::bag::{Bag, Item};
use crate::{job::Job, member::Member, primitive::lock, thread::Thread};
use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

#[derive(Default)]
pub(crate) struct Inbox {
    len: AtomicUsize,
    calls: Mutex<VecDeque<Call>>,
}

/// A task for one thread. Its bag waits for it.
pub(crate) struct Call {
    pub(crate) bag: Arc<Bag>,
    pub(crate) item: Item,
}

impl Inbox {
    /// Whether there is no call. A hint.
    pub(crate) fn is_empty(&self) -> bool {
        self.len.load(Ordering::Relaxed) == 0
    }

    pub(crate) fn push(&self, call: Call) {
        let mut calls = lock(&self.calls);
        calls.push_back(call);
        self.len.store(calls.len(), Ordering::Relaxed);
    }

    fn take(&self, wanted: impl Fn(&Call) -> bool) -> Option<Call> {
        if self.is_empty() {
            return None;
        }
        let mut calls = lock(&self.calls);
        let at = calls.iter().position(wanted)?;
        let call = calls.remove(at);
        self.len.store(calls.len(), Ordering::Relaxed);
        call
    }

    /// Takes the calls of `bag` back.
    pub(crate) fn take_back(&self, bag: &Bag) -> Option<Item> {
        self.take(|call| std::ptr::eq(&*call.bag, bag))
            .map(|call| call.item)
    }
}

/// Answers the oldest call to `me`, of those that descend from `within` if that is given. True if there was one.
/// Calls `begin` before it begins.
pub(crate) fn answer(
    thread: &Thread,
    me: &Member,
    within: Option<&Job>,
    begin: impl FnOnce(),
) -> bool {
    let wanted = |call: &Call| within.is_none_or(|job| call.bag.is_inside(job));
    let Some(Call { bag, item }) = me.inbox.take(wanted) else {
        return false;
    };
    begin();
    bag.attend(thread, me, item);
    true
}
