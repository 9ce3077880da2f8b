//! The end of the leader's nap.
//!
//! The nap, and the end of a call, are the real ones.

use super::{Fault, apart, caught, explore_all, planted, spawn};
use crate::protocol::{completion::Completion, nap::Nap};
use std::{cell::Cell, sync::Arc, task::Waker};

const LEADER: usize = 3;
const WAIT: u64 = 20;
const ASLEEP: &str = "the deputy sleeps on";

/// Two threads take back offers that have waited for long, while the leader naps and wakes up by
/// itself. The leader learns that its nap has been cut short if and only if one of them unparks it;
/// both never do.
fn one_nap_ends_once() {
    let nap = Arc::new(Nap::new());
    let (others, cut) = nap.take(LEADER, WAIT, || {
        [WAIT, WAIT + 1].map(|waited| spawn(&nap, move |nap| nap.cut(waited)))
    });
    let cuts = others.map(|other| other.join().unwrap());
    assert!(cuts.iter().flatten().all(|&who| who == LEADER));
    let cuts = cuts.iter().flatten().count();
    assert!(cuts <= 1, "a nap is cut short twice");
    assert_eq!(
        cuts == 1,
        cut,
        "the leader takes a cut for the end of its nap"
    );
    assert!(!nap.is_on());
}

#[test]
fn a_nap_ends_once() {
    explore_all(one_nap_ends_once);
}

/// An offer that has not waited for so long cuts no nap, nor does any where the leader is awake.
#[test]
fn short_waits_end_no_nap() {
    explore_all(|| {
        let nap = Nap::new();
        assert_eq!(nap.cut(u64::MAX), None);
        let (by_other, cut) = nap.take(LEADER, WAIT, || nap.cut(WAIT - 1));
        assert_eq!((by_other, cut), (None, false));
        assert_eq!(nap.cut(u64::MAX), None);
    });
}

#[test]
fn a_cut_without_an_exchange_is_caught() {
    let symptom = "a nap is cut short twice";
    caught(
        apart("protocol/nap.rs", "cut", "self.who.swap("),
        "nap::a_nap_ends_once",
        symptom,
    );
}

#[test]
fn an_end_without_an_exchange_is_caught() {
    let symptom = "the leader takes a cut for the end of its nap";
    caught(
        apart("protocol/nap.rs", "end", "self.who.swap("),
        "nap::a_nap_ends_once",
        symptom,
    );
}

/// A leader relies on a caller, about when that goes to sleep: one of them wakes the deputy.
#[test]
fn no_caller_sleeps_that_is_relied_on() {
    explore_all(|| {
        let shared = Arc::new((Nap::new(), Completion::new()));
        let caller = spawn(&shared, |(nap, call)| {
            let ended = Cell::new(false);
            let end_nap = || ended.set(nap.cut(u64::MAX).is_some());
            call.sleep(Waker::noop(), end_nap, || ());
            ended.get()
        });
        let (nap, call) = &*shared;
        let looked = planted(Fault::LookBeforeNap) && !call.has_waker();
        let relies = nap.rely(LEADER, WAIT, || looked || !call.has_waker());
        let ended = caller.join().unwrap();
        assert!(!relies || ended, "{ASLEEP}");
    });
}

#[test]
fn a_look_before_the_nap_is_caught() {
    let model = "nap::no_caller_sleeps_that_is_relied_on";
    caught(Fault::LookBeforeNap, model, ASLEEP);
}
