//! A schedule: it decides which thread goes on, by random numbers, and what time it is.
//!
//! One thread has the `turn`; all others sleep in [`Schedule::wait_for_turn`]. It passes the turn
//! on in a step, when it blocks, and when it ends. So the state is never contended, and the whole
//! run follows from the seed.
//!
//! Two strategies alternate from seed to seed. A *walk* switches to another thread at each step
//! with a small probability, and holds the previous thread for a while. *Priorities* (Burckhardt et
//! al., ASPLOS 2010) let the thread of the highest priority go on, and lower it at a few random
//! steps: that finds errors that need few preemptions at unusual places. With both, a thread that
//! yields or spins lets others go on.

use super::primitive;
use crate::fault::Fault;
use crate::random::Random;
use std::{
    cell::Cell,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{self, Thread, ThreadId},
};

/// More steps than any scenario takes.
const MOST_STEPS: u64 = 300_000;

/// From this step on all schedules walk: lowering priorities alone may not terminate.
const WALK_FROM: u64 = 20_000;

/// The turn when the run is over.
const NONE: usize = usize::MAX;

thread_local! {
    /// The thread's schedule, and its number there. Without destructor, so that it is valid in
    /// other destructors.
    static CURRENT: Cell<Option<(&'static Schedule, usize)>> = const { Cell::new(None) };
    static END: End = const { End };
}

/// The first thread-local with a destructor of a thread, so that its destructor runs last: it ends
/// the thread for its schedule.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        with_current(Schedule::end);
    }
}

/// Calls `f` with the calling thread's schedule, if it has one, and its number there.
pub(super) fn with_current<R>(f: impl FnOnce(&'static Schedule, usize) -> R) -> Option<R> {
    let (schedule, me) = CURRENT.get()?;
    Some(f(schedule, me))
}

/// The fault that the calling thread's schedule is to find, if any.
pub(crate) fn planted(fault: Fault) -> bool {
    with_current(|schedule, _| schedule.fault() == Some(fault)).unwrap_or(false)
}

/// Fails the calling thread's schedule, which would meet threads of others in the global pool.
pub(crate) fn no_global_pool() {
    with_current(|schedule, _| schedule.fail_with("a scenario uses the global pool"));
}

/// Leaves work to a new thread of the schedule, in place of the global pool.
pub(crate) fn leave(work: impl FnOnce() + Send + 'static) {
    let _ = primitive::spawn(thread::Builder::new(), work);
}

/// From now on the system refuses to start one thread in three.
pub(super) fn refuse_threads() {
    with_current(|schedule, _| schedule.state().refuses = true);
}

#[derive(Debug)]
pub(crate) struct Schedule {
    turn: AtomicUsize,
    state: Mutex<State>,
    over: Condvar,
    /// What stands for a lock of the process.
    pub(super) process: primitive::Mutex<()>,
}

#[derive(Debug)]
struct State {
    seed: u64,
    random: Random,
    threads: Vec<Controlled>,
    steps: u64,
    clock: u64,
    /// The greatest time that a step advances the clock.
    pace: u64,
    /// The end of the next nap; `u64::MAX` if none is known.
    alarm: u64,
    strategy: Strategy,
    fault: Option<Fault>,
    /// Whether some threads are refused.
    refuses: bool,
    outcome: Option<Result<(), String>>,
}

#[derive(Debug)]
struct Controlled {
    /// `None` until the thread has been started.
    thread: Option<Thread>,
    run: Run,
    priority: u64,
    /// Up to which step others are preferred.
    held_until: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Run {
    Ready,
    /// Blocked until it is woken by this key, or until this time.
    Blocked(Key, Option<u64>),
    Ended,
}

/// What a thread is blocked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// A lock or a condition, by its address.
    At(usize),
    /// The end of a thread.
    End(usize),
}

#[derive(Clone, Copy, Debug)]
enum Strategy {
    /// Another thread goes on after one of so many steps, and this one at most so many steps later,
    /// if there are others.
    Walk(u64, u64),
    /// The priority of the thread that makes one of these steps becomes the lowest.
    Priorities([u64; 3], u64),
}

/// The reason for which a thread calls its schedule.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Access,
    /// It lets others go on, and goes on by itself.
    Yield,
    /// It cannot go on.
    Stop,
}

impl Schedule {
    pub(super) const fn new() -> Self {
        Schedule {
            turn: AtomicUsize::new(NONE),
            state: Mutex::new(State::new(0, None)),
            over: Condvar::new(),
            process: primitive::Mutex::new(()),
        }
    }

    /// Runs `main`, and all threads that it starts, to their ends.
    pub(super) fn run(
        &'static self,
        seed: u64,
        fault: Option<Fault>,
        main: impl FnOnce() + Send + 'static,
    ) -> Result<u64, String> {
        *self.state() = State::begun(seed, fault);
        let first = self.state().add();
        let thread = thread::spawn(move || self.live(first, main));
        self.state().threads[first].thread = Some(thread.thread().clone());
        self.turn.store(first, Ordering::Release);
        thread.thread().unpark();
        let mut state = self.state();
        while state.outcome.is_none() {
            state = self
                .over
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let steps = state.steps;
        match state.outcome.take().expect("it is over") {
            Ok(()) => {
                drop(state);
                let _ = thread.join();
                Ok(steps)
            }
            Err(why) => Err(format!(
                "{why}, after {steps} steps of seed {seed}\n{state}"
            )),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The life of a thread of ours.
    fn live<T>(&'static self, me: usize, f: impl FnOnce() -> T) -> T {
        CURRENT.set(Some((self, me)));
        self.wait_for_turn(me);
        END.with(|_| ());
        f()
    }

    /// Starts a thread of the schedule.
    pub(super) fn start<T: Send + 'static>(
        &'static self,
        builder: thread::Builder,
        f: impl FnOnce() -> T + Send + 'static,
    ) -> thread::JoinHandle<T> {
        let new = self.state().add();
        let handle = builder
            .spawn(move || self.live(new, f))
            .unwrap_or_else(|refusal| self.fail_with(&format!("no thread to be had: {refusal}")));
        self.state().threads[new].thread = Some(handle.thread().clone());
        handle
    }

    /// Waits until a thread that `start` has started has ended.
    pub(super) fn wait_for_end(&self, me: usize, thread: ThreadId) {
        let is = |t: &Controlled| t.thread.as_ref().is_some_and(|t| t.id() == thread);
        let ended = |state: &State, who: usize| state.threads[who].run == Run::Ended;
        let state = self.state();
        let Some(who) = state.threads.iter().position(is) else {
            return;
        };
        let has_ended = ended(&state, who);
        drop(state);
        if !has_ended {
            self.block(me, Key::End(who), None);
        }
    }

    /// Called before an access of the thread `me` to shared state: others may go on first.
    pub(super) fn step(&self, me: usize, step: Step) {
        let mut state = self.state();
        match state.next(me, step) {
            Some(next) => self.give_turn(state, me, next),
            None => self.fail(state, "steps without end"),
        }
    }

    /// The thread sleeps until another wakes it by `key`, or until `after` nanoseconds have passed.
    pub(super) fn block(&self, me: usize, key: Key, after: Option<u64>) {
        let mut state = self.state();
        let until = after.map(|after| state.clock.saturating_add(after));
        state.alarm = state.alarm.min(until.unwrap_or(u64::MAX));
        state.threads[me].run = Run::Blocked(key, until);
        match state.next(me, Step::Stop) {
            Some(next) => self.give_turn(state, me, next),
            None => self.fail(state, "all threads sleep"),
        }
    }

    /// Wakes one or all of the threads that are blocked by `key`.
    pub(super) fn wake(&self, key: Key, all: bool) {
        self.state().wake(key, all);
    }

    /// Returns the time, which advances at each call.
    pub(super) fn now(&self) -> u64 {
        let mut state = self.state();
        state.clock += 20;
        state.clock
    }

    /// A random number below `bound`, for scenarios.
    pub(super) fn random(&self, bound: u64) -> u64 {
        self.state().random.below(bound)
    }

    pub(super) fn refuses_a_thread(&self) -> bool {
        let mut state = self.state();
        state.refuses && state.random.below(3) == 0
    }

    pub(super) fn fault(&self) -> Option<Fault> {
        self.state().fault
    }

    pub(super) fn seed(&self) -> u64 {
        self.state().seed
    }

    /// Ends the run as a failure; the calling thread does not go on.
    pub(super) fn fail_with(&self, why: &str) -> ! {
        let state = self.state();
        self.fail(state, why)
    }

    fn fail(&self, mut state: MutexGuard<'_, State>, why: &str) -> ! {
        state.outcome.get_or_insert_with(|| Err(why.to_owned()));
        self.turn.store(NONE, Ordering::Release);
        drop(state);
        self.over.notify_all();
        loop {
            thread::park();
        }
    }

    /// Ends a thread for its schedule.
    fn end(&'static self, me: usize) {
        let mut state = self.state();
        state.threads[me].run = Run::Ended;
        state.wake(Key::End(me), true);
        if state.threads.iter().all(|t| t.run == Run::Ended) {
            self.turn.store(NONE, Ordering::Release);
            state.outcome.get_or_insert(Ok(()));
            drop(state);
            self.over.notify_all();
            return;
        }
        let Some(next) = state.next(me, Step::Stop) else {
            self.fail(state, "all threads sleep")
        };
        self.pass(state, next);
    }

    fn give_turn(&self, state: MutexGuard<'_, State>, me: usize, next: usize) {
        if next == me {
            return;
        }
        self.pass(state, next);
        self.wait_for_turn(me);
    }

    fn pass(&self, state: MutexGuard<'_, State>, next: usize) {
        let thread = state.threads[next].thread.clone();
        drop(state);
        self.turn.store(next, Ordering::Release);
        thread.expect("it has been started").unpark();
    }

    fn wait_for_turn(&self, me: usize) {
        while self.turn.load(Ordering::Acquire) != me {
            thread::park();
        }
    }
}

impl State {
    const fn new(seed: u64, fault: Option<Fault>) -> Self {
        State {
            seed,
            random: Random::new(seed),
            threads: Vec::new(),
            steps: 0,
            clock: 0,
            pace: 1,
            alarm: u64::MAX,
            strategy: Strategy::Walk(2, 1),
            fault,
            refuses: false,
            outcome: None,
        }
    }

    fn begun(seed: u64, fault: Option<Fault>) -> Self {
        let mut state = State::new(seed, fault);
        let random = &mut state.random;
        state.pace = [30, 200, 1000][random.below(3) as usize];
        state.strategy = match random.below(4) {
            0 => {
                let length = 1 << (6 + random.below(7));
                Strategy::Priorities([(); 3].map(|()| random.below(length)), 1 << 20)
            }
            n => Strategy::Walk(
                [3, 12, 50][n as usize - 1],
                [1, 30, 300][random.below(3) as usize],
            ),
        };
        state
    }

    fn add(&mut self) -> usize {
        let priority = (1 << 20) + 1 + self.random.below(1 << 30);
        self.threads.push(Controlled {
            thread: None,
            run: Run::Ready,
            priority,
            held_until: 0,
        });
        self.threads.len() - 1
    }

    fn wake(&mut self, key: Key, all: bool) {
        let blocked = |t: &Controlled| matches!(t.run, Run::Blocked(by, _) if by == key);
        if all {
            for thread in self.threads.iter_mut().filter(|t| blocked(t)) {
                thread.run = Run::Ready;
            }
            return;
        }
        let of_key = self.threads.iter().filter(|t| blocked(t)).count();
        if of_key > 0 {
            let nth = self.random.below(of_key as u64) as usize;
            let mut blocked = self.threads.iter_mut().filter(|t| blocked(t));
            blocked.nth(nth).expect("so many").run = Run::Ready;
        }
    }

    /// Wakes the threads whose nap is over.
    fn ring(&mut self) {
        self.alarm = u64::MAX;
        for thread in &mut self.threads {
            if let Run::Blocked(_, Some(until)) = thread.run {
                if until <= self.clock {
                    thread.run = Run::Ready;
                } else {
                    self.alarm = self.alarm.min(until);
                }
            }
        }
    }

    /// Counts a step of `me`, and returns the thread that goes on. `None` if no thread can, or
    /// after too many steps.
    fn next(&mut self, me: usize, step: Step) -> Option<usize> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return None;
        }
        let pause = if step == Step::Yield { 500 } else { 0 };
        self.clock += pause + self.random.below(self.pace);
        if self.clock >= self.alarm {
            self.ring();
        }
        if !self.threads.iter().any(|t| t.run == Run::Ready) {
            // The alarm may belong to a thread that another has woken.
            self.ring();
            if self.alarm == u64::MAX {
                return None;
            }
            self.clock = self.alarm;
            self.ring();
        }
        let (every, hold) = match &mut self.strategy {
            Strategy::Priorities(changes, lowest) if self.steps < WALK_FROM => {
                if step == Step::Yield || changes.contains(&self.steps) {
                    *lowest -= 1;
                    self.threads[me].priority = *lowest;
                }
                return self.ready().max_by_key(|&who| self.threads[who].priority);
            }
            Strategy::Priorities(..) => (12, 1),
            &mut Strategy::Walk(every, hold) => (every, hold),
        };
        if step == Step::Access && self.random.below(every) > 0 {
            return Some(me);
        }
        self.threads[me].held_until = self.steps + self.random.below(hold);
        let chosen = self.random.below(1 << 32);
        let others = || self.ready().filter(|&who| who != me);
        let free = |who: &usize| self.threads[*who].held_until <= self.steps;
        let count = others().filter(free).count() as u64;
        if count > 0 {
            let nth = chosen % count;
            return others().filter(free).nth(nth as usize);
        }
        let first = others().min_by_key(|&who| self.threads[who].held_until);
        first.or_else(|| self.ready().next())
    }

    fn ready(&self) -> impl Iterator<Item = usize> {
        let threads = self.threads.iter().enumerate();
        threads.filter_map(|(who, t)| (t.run == Run::Ready).then_some(who))
    }
}

/// Describes the state of each thread.
impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "at {} ns, {:?}:", self.clock, self.strategy)?;
        for (who, thread) in self.threads.iter().enumerate() {
            writeln!(f, "  thread {who}: {:?}", thread.run)?;
        }
        Ok(())
    }
}
