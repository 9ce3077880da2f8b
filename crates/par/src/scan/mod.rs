//! Scans (prefix sums), in place: every element becomes what all before it, with or without itself, come to.
//!
//! The slice is handed out in chunks that fit a core's own cache, in order (chunks.rs), to any thread that is idle (team.rs). A
//! thread that takes a chunk and finds that what comes before it is known scans it at once: on one thread that is the sequential scan.
//! Otherwise it *reduces* the chunk, which brings it into its cache, waits for the chunk before it, tells the next one what they
//! come to together (relay.rs), and only then scans. So the slice is read from memory once, and the chain that nobody can shorten
//! has one step per chunk.
//!
//! ```text
//!   thread 1   │scan 0 ──►│scan 2 ──►│scan 3 ──►│scan 5 ──►           ►  passes on when it has scanned
//!   thread 2   │reduce 1 ·│► scan 1  │reduce 4 ·│► scan 4             ·  waits
//! ```

mod chunks;
mod relay;
mod team;

use self::{
    chunks::Chunks,
    relay::Relay,
    team::{Work, with_team},
};
use std::mem;

/// Makes each element `op` of the one before it and itself.
pub(crate) fn inclusive<T, F>(v: &mut [T], op: &F)
where
    T: Send + Sync,
    F: Fn(&T, &T) -> T + Sync,
{
    let relay = Relay::new(None);
    let scan = Inclusive { op, relay };
    with_team(&Chunks::new(v), &scan);
}

/// Makes each element what comes before it, beginning with `init`; returns what all come to.
pub(crate) fn exclusive<T, F>(v: &mut [T], init: T, op: &F) -> T
where
    T: Send + Sync,
    F: Fn(&T, &T) -> T + Sync,
{
    let relay = Relay::new(init);
    let scan = Exclusive { op, relay };
    with_team(&Chunks::new(v), &scan);
    scan.relay.into_inner()
}

/// What is known of all chunks before one: a value that was made for the purpose, or the last element of a chunk that is finished.
enum Before<'v, T> {
    Made(T),
    Last(&'v T),
}

impl<T> Before<'_, T> {
    fn get(&self) -> &T {
        match self {
            Before::Made(value) => value,
            Before::Last(value) => value,
        }
    }
}

struct Inclusive<'f, 'v, F, T> {
    op: &'f F,
    relay: Relay<Option<Before<'v, T>>>,
}

impl<'v, T, F> Work<'v, T> for Inclusive<'_, 'v, F, T>
where
    T: Send + Sync,
    F: Fn(&T, &T) -> T + Sync,
{
    fn run(&self, index: usize, chunk: &'v mut [T]) -> Option<()> {
        let op = self.op;
        let turn = self.relay.turn(index);
        let early = if turn.has_come() {
            None
        } else {
            reduce(chunk, op)
        };
        let before = turn.wait()?;
        if let Some(sum) = early {
            let all = match &before {
                Some(before) => op(before.get(), &sum),
                None => sum,
            };
            turn.pass(Some(Before::Made(all)));
            scan(chunk, before.as_ref().map(Before::get), op);
        } else {
            scan(chunk, before.as_ref().map(Before::get), op);
            turn.pass(chunk.last().map(Before::Last));
        }
        Some(())
    }

    fn halt(&self) {
        self.relay.halt();
    }
}

/// The sequential scan.
#[inline]
fn scan<T>(chunk: &mut [T], before: Option<&T>, op: &impl Fn(&T, &T) -> T) {
    let Some((first, rest)) = chunk.split_first_mut() else {
        return;
    };
    if let Some(before) = before {
        *first = op(before, first);
    }
    let mut last = &*first;
    for x in rest {
        *x = op(last, x);
        last = x;
    }
}

struct Exclusive<'f, F, T> {
    op: &'f F,
    relay: Relay<T>,
}

impl<'v, T, F> Work<'v, T> for Exclusive<'_, F, T>
where
    T: Send + Sync,
    F: Fn(&T, &T) -> T + Sync,
{
    fn run(&self, index: usize, chunk: &'v mut [T]) -> Option<()> {
        let op = self.op;
        let turn = self.relay.turn(index);
        let early = if turn.has_come() {
            None
        } else {
            reduce(chunk, op)
        };
        let mut before = turn.wait()?;
        if let Some(sum) = early {
            turn.pass(op(&before, &sum));
            let (last, rest) = chunk.split_last_mut()?;
            before = shift(rest, before, op);
            *last = before;
        } else {
            turn.pass(shift(chunk, before, op));
        }
        Some(())
    }

    fn halt(&self) {
        self.relay.halt();
    }
}

/// The sequential scan; returns what is left over at the end.
#[inline]
fn shift<T>(chunk: &mut [T], mut before: T, op: &impl Fn(&T, &T) -> T) -> T {
    for x in chunk {
        let next = op(&before, x);
        *x = mem::replace(&mut before, next);
    }
    before
}

/// What the elements come to, of which there must be two for that.
#[inline]
fn reduce<T>(chunk: &[T], op: &impl Fn(&T, &T) -> T) -> Option<T> {
    let [first, second, rest @ ..] = chunk else {
        return None;
    };
    let two = op(first, second);
    Some(rest.iter().fold(two, |sum, x| op(&sum, x)))
}
