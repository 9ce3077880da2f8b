//! The recorder: the state of a thread that profiles.
//!
//! It carries the *path*: the length of the longest path from the profile's start to the current
//! place, plain and burdened. A strand adds its time. At a join the path is saved, the first half
//! goes on from it, then the second from the same place; the later end is that of the join. All
//! functions here do nothing on a thread that does not profile. None calls the program, or the
//! scheduler, while the recorder is borrowed.
//!
//! Times are in picoseconds and may be negative: the overhead of measuring is no whole number of
//! nanoseconds, and a strand may have less than the average overhead.

use super::{Profile, delay, task};
use std::{
    any::Any,
    cell::RefCell,
    mem,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};
use sumac_core::hooks::{self, Begin, Measure, TaskEnds};

pub(super) type Picos = i64;

thread_local! {
    static RECORDER: RefCell<Option<Recorder>> = const { RefCell::new(None) };
}

/// Returns whether this thread profiles.
#[inline]
pub(super) fn is_active() -> bool {
    hooks::measured().is_some()
}

/// The length of the longest path from the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Path {
    pub(super) plain: Picos,
    pub(super) burdened: Picos,
}

impl Path {
    pub(super) fn later(self, other: Path) -> Path {
        Path {
            plain: self.plain.max(other.plain),
            burdened: self.burdened.max(other.burdened),
        }
    }

    fn and(self, time: Picos) -> Path {
        Path {
            plain: self.plain.saturating_add(time),
            burdened: self.burdened.saturating_add(time),
        }
    }

    pub(super) fn burdened_by(self, burden: Picos) -> Path {
        Path {
            burdened: self.burdened.saturating_add(burden),
            ..self
        }
    }
}

/// The state that all threads of a profile share.
#[derive(Debug)]
pub(super) struct Session {
    start: Instant,
    #[cfg(test)]
    fake: bool,
    /// The time that measuring adds to a strand.
    overhead: Picos,
    pub(super) burden: Picos,
    totals: Mutex<Totals>,
}

/// Counts that do not depend on the path.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    work: Picos,
    joins: u64,
    loops: u64,
    blocks: u64,
    pub(super) tasks: u64,
    pub(super) ended: u64,
    /// The latest end of a task.
    latest: Path,
}

impl Totals {
    fn add(&mut self, other: Totals) {
        self.work += other.work;
        self.joins += other.joins;
        self.loops += other.loops;
        self.blocks += other.blocks;
        self.tasks += other.tasks;
        self.ended += other.ended;
        self.latest = self.latest.later(other.latest);
    }
}

impl Session {
    fn new(burden: Picos, overhead: Picos) -> Arc<Self> {
        Arc::new(Session {
            start: Instant::now(),
            #[cfg(test)]
            fake: super::tests::is_fake(),
            overhead,
            burden,
            totals: Mutex::default(),
        })
    }

    pub(super) fn totals(&self) -> std::sync::MutexGuard<'_, Totals> {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Picos {
        #[cfg(test)]
        if self.fake {
            return super::tests::fake_nanos() * 1000;
        }
        let nanos = self.start.elapsed().as_nanos();
        Picos::try_from(nanos.saturating_mul(1000)).unwrap_or(Picos::MAX)
    }
}

/// The state of a thread that profiles.
#[derive(Debug)]
pub(super) struct Recorder {
    pub(super) session: Arc<Session>,
    /// When the current strand started.
    since: Picos,
    /// How long the thread had waited for a processor at that time or before.
    delayed: Picos,
    pub(super) path: Path,
    totals: Totals,
    joins: Vec<OpenJoin>,
    loops: Vec<OpenLoop>,
}

/// A join that has not ended: its start, and the end of its first half.
#[derive(Debug)]
struct OpenJoin {
    start: Path,
    end_of_first: Option<Path>,
}

/// A loop that has not ended: its start, and the latest end of a block.
#[derive(Debug)]
struct OpenLoop {
    start: Path,
    latest: Path,
    blocks: u64,
}

impl Recorder {
    fn new(session: Arc<Session>, path: Path) -> Self {
        Recorder {
            delayed: delay::in_all(),
            since: session.now(),
            session,
            path,
            totals: Totals::default(),
            joins: Vec::new(),
            loops: Vec::new(),
        }
    }

    /// Ends a strand.
    fn end_strand(&mut self) {
        let mut took = self.session.now() - self.since - self.session.overhead;
        if took > delay::LONG {
            took -= self.new_delay().clamp(0, took);
        }
        self.path = self.path.and(took);
        self.totals.work += took;
    }

    /// Returns how long the thread has waited for a processor since the last call.
    fn new_delay(&mut self) -> Picos {
        #[cfg(test)]
        if self.session.fake {
            return 0;
        }
        let delayed = delay::in_all();
        delayed - mem::replace(&mut self.delayed, delayed)
    }

    /// Starts a strand.
    fn begin_strand(&mut self) {
        self.since = self.session.now();
    }

    /// Ends a block of the innermost loop; another one may start.
    fn end_block(&mut self) {
        let path = self.path;
        if let Some(open) = self.loops.last_mut() {
            open.blocks += 1;
            open.latest = open.latest.later(path);
            self.path = open.start;
        }
    }
}

/// Calls `f`, between two strands, with this thread's recorder if it has one.
pub(super) fn between<R>(f: impl FnOnce(&mut Recorder) -> R) -> Option<R> {
    if !is_active() {
        return None;
    }
    let result = RECORDER.try_with(|recorder| {
        let mut recorder = recorder.borrow_mut();
        let recorder = recorder.as_mut()?;
        recorder.end_strand();
        let result = f(recorder);
        recorder.begin_strand();
        Some(result)
    });
    result.ok().flatten()
}

/// Replaces this thread's recorder.
fn replace(new: Option<Recorder>) -> Option<Recorder> {
    let active = new.is_some();
    let old = RECORDER.try_with(|recorder| recorder.replace(new));
    hooks::measure_by((active && old.is_ok()).then_some(&Listening));
    old.ok().flatten()
}

/// Receives the scheduler's events on a thread that has a recorder.
struct Listening;

impl Measure for Listening {
    fn forks(&self) {
        between(|recorder| {
            recorder.totals.joins += 1;
            recorder.joins.push(OpenJoin {
                start: recorder.path,
                end_of_first: None,
            });
        });
    }

    fn turns(&self) {
        between(|recorder| {
            if let Some(open) = recorder.joins.last_mut() {
                open.end_of_first = Some(mem::replace(&mut recorder.path, open.start));
            }
        });
    }

    fn joins(&self) {
        between(|recorder| {
            let open = recorder.joins.pop();
            if let Some(end) = open.and_then(|open| open.end_of_first) {
                let burden = recorder.session.burden;
                recorder.path = recorder.path.later(end).burdened_by(burden);
            }
        });
    }

    fn enters_loop(&self) {
        between(|recorder| {
            recorder.totals.loops += 1;
            let start = recorder.path;
            recorder.loops.push(OpenLoop {
                start,
                latest: start,
                blocks: 0,
            });
        });
    }

    fn ends_block(&self) {
        between(|recorder| {
            recorder.end_block();
        });
    }

    fn leaves_loop(&self) {
        between(|recorder| {
            recorder.end_block();
            let Some(OpenLoop { latest, blocks, .. }) = recorder.loops.pop() else {
                return;
            };
            recorder.totals.blocks += blocks;
            let levels = Picos::from(blocks.next_power_of_two().ilog2());
            let burden = recorder.session.burden.saturating_mul(levels);
            recorder.path = latest.burdened_by(burden);
        });
    }

    fn pauses(&self) -> Box<dyn Any> {
        Box::new(pause())
    }

    fn spawns(&self, ends: &Arc<TaskEnds>) -> Option<Begin> {
        task::spawned(ends)
    }

    fn awaited(&self, ends: &TaskEnds) {
        task::joined(ends);
    }
}

/// While this is alive, the clock stands still and the thread does not profile: it waits, and may
/// run code that is not part of the program.
#[must_use]
pub(super) struct Paused(Option<Recorder>);

/// Stops the clock of a thread that profiles.
pub(super) fn pause() -> Paused {
    if !is_active() {
        return Paused(None);
    }
    between(|_| ());
    Paused(replace(None))
}

impl Drop for Paused {
    fn drop(&mut self) {
        if let Some(mut recorder) = self.0.take() {
            recorder.new_delay();
            recorder.begin_strand();
            replace(Some(recorder));
        }
    }
}

/// A recorder that replaces another one; dropped without [`end`](Self::end) if the program unwinds.
pub(super) struct Recording {
    outer: Paused,
}

impl Recording {
    pub(super) fn begin(session: Arc<Session>, path: Path) -> Self {
        let outer = pause();
        replace(Some(Recorder::new(session, path)));
        Recording { outer }
    }

    /// Ends the recorder, and goes on with the outer one. Its counts are in the session afterwards.
    pub(super) fn end(mut self) -> Option<(Path, Paused)> {
        between(|_| ());
        let recorder = replace(None)?;
        let outer = mem::replace(&mut self.outer, Paused(None));
        let mut totals = recorder.totals;
        totals.latest = recorder.path;
        recorder.session.totals().add(totals);
        Some((recorder.path, outer))
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // After `end` the outer one is back.
        if let Some(outer) = self.outer.0.take() {
            drop(Paused(Some(outer)));
        } else if is_active() {
            replace(None);
        }
    }
}

/// Calls `f` and measures it.
pub(super) fn run<R>(burden: Picos, f: impl FnOnce() -> R) -> (R, Profile) {
    measure(Session::new(burden, overhead()), f)
}

fn measure<R>(session: Arc<Session>, f: impl FnOnce() -> R) -> (R, Profile) {
    let recording = Recording::begin(Arc::clone(&session), Path::default());
    let result = f();
    let end = recording.end();
    let totals = *session.totals();
    let Some((_, mut outer)) = end else {
        // Destructors of thread-locals have no recorder.
        return (result, Profile::default());
    };
    if let Some(outer) = &mut outer.0 {
        outer.totals.add(Totals {
            latest: Path::default(),
            ..totals
        });
        let inner = totals.latest;
        let more = inner.burdened.saturating_sub(inner.plain);
        outer.path = outer.path.and(inner.plain).burdened_by(more);
    }
    drop(outer);
    let profile = Profile {
        work: duration(totals.work),
        // Strands with negative times are in the work, but on no longest path.
        span: duration(totals.latest.plain.min(totals.work)),
        burdened_span: duration(totals.latest.burdened),
        joins: totals.joins,
        loops: totals.loops,
        blocks: totals.blocks,
        tasks: totals.tasks,
        unattributed: totals.tasks - totals.ended,
    };
    (result, profile)
}

fn duration(time: Picos) -> Duration {
    Duration::from_nanos(u64::try_from(time / 1000).unwrap_or(0))
}

/// Returns the time that measuring adds to a strand, measured with empty joins.
fn overhead() -> Picos {
    static OVERHEAD: OnceLock<Picos> = OnceLock::new();
    #[cfg(test)]
    if super::tests::is_fake() {
        return 0;
    }
    const JOINS: u32 = 256;
    let sample = || {
        let ((), Profile { work, .. }) = measure(Session::new(0, 0), || {
            for _ in 0..JOINS {
                sumac_core::join(|| (), || ());
            }
        });
        super::picos(work) / Picos::from(3 * JOINS + 1)
    };
    // The minimum: the system may have interrupted the others.
    *OVERHEAD.get_or_init(|| (0..16).map(|_| sample()).min().unwrap_or(0))
}
