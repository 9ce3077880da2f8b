//! The ring of a member's latest events, and the traces that read it.

use super::{Doing, Happened, Lane, Stretch};
use std::{
    any::Any,
    collections::VecDeque,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering, fence},
    },
    time::Duration,
};
use sumac_core::{
    Observed, Observer, Seat,
    hooks::{self, Event, Phase},
};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The traces of a pool that are in progress.
#[derive(Debug, Default)]
pub(super) struct Tracers(Mutex<Present>);

#[derive(Debug, Default)]
struct Present {
    count: usize,
    limit: usize,
}

impl Tracers {
    /// Returns those of a pool.
    pub(super) fn of(pool: &Observed) -> &Self {
        let observer = pool.observer(|| Box::new(Tracers::default()));
        observer.as_any().downcast_ref().expect(OURS)
    }

    /// Starts another trace. Traces of a pool share the rings.
    pub(super) fn begin(&self, pool: &Observed, limit: usize, now: u64) {
        let mut present = lock(&self.0);
        present.count += 1;
        present.limit = present.limit.max(limit);
        for member in pool.seats() {
            events_of(member).begin(|| member.phase(), limit, now);
        }
    }

    /// Ends a trace; the last one frees the rings.
    pub(super) fn end(&self, pool: &Observed) {
        let mut present = lock(&self.0);
        present.count -= 1;
        if present.count == 0 {
            present.limit = 0;
            for member in pool.seats() {
                events_of(member).end();
            }
        }
    }
}

impl Observer for Tracers {
    /// Traces a thread that joins the pool during a trace.
    fn welcome(&self, seat: Seat<'_>) {
        let present = lock(&self.0);
        if present.count > 0 {
            events_of(seat).begin(|| seat.phase(), present.limit, seat.now());
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// No other instrument observes pools.
const OURS: &str = "observers of pools are ours";

/// Returns the events of the thread that sits there.
pub(super) fn events_of(seat: Seat<'_>) -> &Events {
    let lane = seat.lane(|| Box::new(Events::default()));
    lane.as_any().downcast_ref().expect(OURS)
}

/// The events that a member keeps while it is traced.
#[derive(Debug, Default)]
pub(super) struct Events {
    on: AtomicBool,
    ring: Mutex<Ring>,
}

#[derive(Debug, Default)]
struct Ring {
    limit: usize,
    events: VecDeque<(u64, Entry)>,
    /// Its phase before the first of them, and since when that is known.
    first: Option<(Phase, u64)>,
    /// The number of older ones that were dropped.
    forgotten: u64,
}

#[derive(Clone, Copy, Debug)]
enum Entry {
    Enters(Phase),
    Happened(Happened),
}

impl Events {
    pub(super) fn begin(&self, phase: impl FnOnce() -> Phase, limit: usize, now: u64) {
        let mut ring = lock(&self.ring);
        ring.limit = ring.limit.max(limit);
        if !self.on.swap(true, Ordering::Relaxed) {
            // If a thread enters another phase meanwhile and does not see us, we see it in that
            // phase.
            fence(Ordering::SeqCst);
            ring.first = Some((phase(), now));
        }
    }

    fn end(&self) {
        let mut ring = lock(&self.ring);
        self.on.store(false, Ordering::Relaxed);
        *ring = Ring::default();
    }

    fn push(&self, now: u64, event: Entry) {
        if !hooks::Lane::is_on(self) {
            return;
        }
        let mut ring = lock(&self.ring);
        // It may have been switched off meanwhile.
        if !hooks::Lane::is_on(self) {
            return;
        }
        if ring.events.len() >= ring.limit {
            if let Some((at, old)) = ring.events.pop_front() {
                ring.forgotten += 1;
                let (before, known) = ring.first.unwrap_or((Phase::Away, at));
                let phase = match old {
                    Entry::Enters(phase) => phase,
                    Entry::Happened(_) => before,
                };
                // Threads that ask record the time a little later.
                ring.first = Some((phase, at.max(known)));
            }
        }
        ring.events.push_back((now, event));
    }

    /// Returns the events between two times. `None` for an outside thread that took no part.
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
                Entry::Enters(next) => {
                    stretch(phase, from, at);
                    (phase, from) = (next, at);
                }
                Entry::Happened(what) if (start..=end).contains(&at) => {
                    moments.push((since(at), what));
                }
                Entry::Happened(_) => {}
            }
        }
        stretch(phase, from, end);
        let idle = stretches.iter().all(|s| s.doing == Doing::Own) && moments.is_empty();
        (!idle).then(|| Lane {
            name: String::new(),
            stretches,
            moments,
            // A trace that started later lacks none of them.
            dropped: if known < start { 0 } else { ring.forgotten },
        })
    }
}

impl hooks::Lane for Events {
    fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    fn enters(&self, phase: Phase, now: u64) {
        self.push(now, Entry::Enters(phase));
    }

    fn happens(&self, what: Event, now: u64) {
        self.push(now, Entry::Happened(what.into()));
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
