//! What comes and goes: values that are counted, panics that are caught.

use std::{
    any::Any,
    panic::{self, AssertUnwindSafe},
    sync::atomic::{AtomicUsize, Ordering::SeqCst},
};

/// Counts tokens made and dropped; they must balance whatever way a join ends.
#[derive(Debug, Default)]
pub struct Ledger {
    made: AtomicUsize,
    dropped: AtomicUsize,
}

impl Ledger {
    /// One without tokens.
    pub const fn new() -> Ledger {
        Ledger {
            made: AtomicUsize::new(0),
            dropped: AtomicUsize::new(0),
        }
    }

    /// Makes a token.
    pub fn token(&self) -> Token<'_> {
        self.made.fetch_add(1, SeqCst);
        Token(self)
    }

    /// How many have been dropped.
    pub fn dropped(&self) -> usize {
        self.dropped.load(SeqCst)
    }

    /// (made, dropped)
    pub fn counts(&self) -> (usize, usize) {
        (self.made.load(SeqCst), self.dropped())
    }

    /// Asserts that there have been tokens, and that all have been dropped.
    #[track_caller]
    pub fn assert_balanced(&self) {
        let (made, dropped) = self.counts();
        assert!(made > 0, "the test made no tokens");
        assert_eq!(made, dropped, "values made and values dropped");
    }
}

/// What a [`Ledger`] counts.
#[derive(Debug)]
pub struct Token<'a>(&'a Ledger);

impl Drop for Token<'_> {
    fn drop(&mut self) {
        self.0.dropped.fetch_add(1, SeqCst);
    }
}

/// A value that counts its drops.
#[derive(Debug)]
pub struct Counted<'c>(pub usize, pub &'c AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.1.fetch_add(1, SeqCst);
    }
}

/// Catches a panic and returns its payload; panics when there is none.
#[track_caller]
pub fn caught<R>(f: impl FnOnce() -> R) -> Box<dyn Any + Send> {
    match panic::catch_unwind(AssertUnwindSafe(f)) {
        Ok(_) => panic!("a panic was expected"),
        Err(payload) => payload,
    }
}

/// Panics without the message and backtrace that a hook would print.
pub fn throw<T: Send + 'static>(payload: T) -> ! {
    panic::resume_unwind(Box::new(payload))
}

/// The text of a payload made by `panic!`.
pub fn text(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("not a text")
}
