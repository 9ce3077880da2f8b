//! The ring of a member's latest events, and who wants them.

use super::{Doing, Happened, Lane, Stretch};
use crate::{
    pool::shared::Shared,
    protocol::{
        primitive::lock,
        times::{Phase, Times},
    },
};
use std::{
    collections::VecDeque,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering, fence},
    },
    time::Duration,
};

/// The traces of a pool that are being made.
#[derive(Debug, Default)]
pub(crate) struct Tracers(Mutex<Present>);

#[derive(Debug, Default)]
struct Present {
    count: usize,
    limit: usize,
}

impl Tracers {
    /// Another one. Those that begin while there are others share their rings.
    pub(super) fn begin(&self, pool: &Shared, limit: usize, now: u64) {
        let mut present = lock(&self.0);
        present.count += 1;
        present.limit = present.limit.max(limit);
        for member in pool.members.iter() {
            member.events.begin(&member.times, limit, now);
        }
    }

    /// One fewer; with the last one the rings go.
    pub(super) fn end(&self, pool: &Shared) {
        let mut present = lock(&self.0);
        present.count -= 1;
        if present.count == 0 {
            present.limit = 0;
            for member in pool.members.iter() {
                member.events.end();
            }
        }
    }

    /// A thread that comes while others are being traced is traced, too.
    pub(crate) fn welcome(&self, pool: &Shared, events: &Events, times: &Times) {
        let present = lock(&self.0);
        if present.count > 0 {
            events.begin(times, present.limit, pool.now());
        }
    }
}

/// What a member remembers while somebody traces.
#[derive(Debug, Default)]
pub(crate) struct Events {
    on: AtomicBool,
    ring: Mutex<Ring>,
}

#[derive(Debug, Default)]
struct Ring {
    limit: usize,
    events: VecDeque<(u64, Event)>,
    /// What it was doing before the first of them, and since when that is known.
    first: Option<(Phase, u64)>,
    /// How many older ones have been forgotten.
    forgotten: u64,
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Enters(Phase),
    Happened(Happened),
}

impl Events {
    pub(crate) fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    pub(super) fn begin(&self, times: &Times, limit: usize, now: u64) {
        let mut ring = lock(&self.ring);
        ring.limit = ring.limit.max(limit);
        if !self.on.swap(true, Ordering::Relaxed) {
            // As in `enters`.
            fence(Ordering::SeqCst);
            ring.first = Some((times.phase(), now));
        }
    }

    fn end(&self) {
        let mut ring = lock(&self.ring);
        self.on.store(false, Ordering::Relaxed);
        *ring = Ring::default();
    }

    /// The member's thread has entered a phase, and said so in its times: a trace that begins
    /// meanwhile sees it there, or we see the trace.
    pub(crate) fn enters(&self, phase: Phase, now: u64) {
        fence(Ordering::SeqCst);
        if self.is_on() {
            self.push(now, Event::Enters(phase));
        }
    }

    /// Something happens on the member's thread.
    pub(crate) fn happened(&self, what: Happened, now: u64) {
        self.push(now, Event::Happened(what));
    }

    fn push(&self, now: u64, event: Event) {
        let mut ring = lock(&self.ring);
        // It may have been switched off since the caller looked.
        if !self.is_on() {
            return;
        }
        if ring.events.len() >= ring.limit {
            if let Some((at, old)) = ring.events.pop_front() {
                ring.forgotten += 1;
                let (before, known) = ring.first.unwrap_or((Phase::Away, at));
                let phase = match old {
                    Event::Enters(phase) => phase,
                    Event::Happened(_) => before,
                };
                // Those who ask say when, a little later.
                ring.first = Some((phase, at.max(known)));
            }
        }
        ring.events.push_back((now, event));
    }

    /// What was between two moments. `None` for a thread from outside that took no part.
    pub(super) fn cut(&self, start: u64, end: u64) -> Option<Lane> {
        let ring = lock(&self.ring);
        let (mut phase, known) = ring.first?;
        let since = |at: u64| Duration::from_nanos(at.clamp(start, end) - start);
        let mut stretches: Vec<Stretch> = Vec::new();
        let mut moments = Vec::new();
        let mut stretch = |phase: Phase, from: u64, to: u64| {
            let (start, end, doing) = (since(from), since(to), Doing::from(phase));
            match stretches.last_mut() {
                _ if start >= end => {}
                Some(last) if last.doing == doing => last.end = end,
                _ => stretches.push(Stretch { doing, start, end }),
            }
        };
        let mut from = known;
        for &(at, event) in &ring.events {
            match event {
                Event::Enters(next) => {
                    stretch(phase, from, at);
                    (phase, from) = (next, at);
                }
                Event::Happened(what) if (start..=end).contains(&at) => {
                    moments.push((since(at), what));
                }
                Event::Happened(_) => {}
            }
        }
        stretch(phase, from, end);
        let idle = stretches.iter().all(|s| s.doing == Doing::Own) && moments.is_empty();
        (!idle).then(|| Lane {
            name: String::new(),
            stretches,
            moments,
            // A trace that began later lacks none of them.
            dropped: if known < start { 0 } else { ring.forgotten },
        })
    }
}
