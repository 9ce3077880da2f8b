//! A schedule: one thread has its `turn`; all others sleep in [`Schedule::wait_for_turn`]. It
//! passes the turn on in a step, when it blocks, and when it ends. So the state (state.rs), which
//! decides who goes on, is never contended.

use super::{
    current, primitive,
    simulate::{Clocks, Cost},
    state::{Controlled, Key, Run, State, Step},
};
use crate::protocol::faulty;
use std::{
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{self, ThreadId},
};

/// The turn when the run is over.
const NONE: usize = usize::MAX;

#[derive(Debug)]
pub(crate) struct Schedule {
    turn: AtomicUsize,
    state: Mutex<State>,
    over: Condvar,
    /// What stands for a lock of the process.
    pub(super) process: primitive::Mutex<()>,
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
        fault: Option<faulty::Step>,
        main: impl FnOnce() + Send + 'static,
    ) -> Result<u64, String> {
        self.run_from(State::begun(seed, fault), main)
    }

    /// Simulates `main`, and all threads that it starts.
    pub(super) fn simulate(
        &'static self,
        seed: u64,
        clocks: Clocks,
        main: impl FnOnce() + Send + 'static,
    ) -> Result<u64, String> {
        self.run_from(State::simulated(seed, clocks), main)
    }

    fn run_from(
        &'static self,
        state: State,
        main: impl FnOnce() + Send + 'static,
    ) -> Result<u64, String> {
        *self.state() = state;
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
                "{why}, after {steps} steps of seed {}\n{state}",
                state.seed
            )),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The life of a thread of ours.
    fn live<T>(&'static self, me: usize, f: impl FnOnce() -> T) -> T {
        current::enter(self, me, || self.wait_for_turn(me));
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
    pub(super) fn step(&self, me: usize, step: Step, cost: Cost) {
        let mut state = self.state();
        if state.clocks.as_mut().is_some_and(|clocks| clocks.pay(cost)) {
            return;
        }
        match state.next(me, step) {
            Some(next) => self.give_turn(state, me, next),
            None => self.fail(state, "steps without end"),
        }
    }

    /// Does the same in a simulation, for what takes time and is no access.
    pub(super) fn pay(&self, me: usize, cost: Cost) {
        if self.is_simulated() {
            self.step(me, Step::Access, cost);
        }
    }

    pub(super) fn is_simulated(&self) -> bool {
        self.state().clocks.is_some()
    }

    /// The thread sleeps until another wakes it by `key`, or until `after` nanoseconds have passed.
    pub(super) fn block(&self, me: usize, key: Key, after: Option<u64>) {
        let mut state = self.state();
        let until = after.map(|after| state.end_of_nap(after));
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

    pub(super) fn advance(&self, time: u64) {
        self.state().clock += time;
    }

    /// Returns the time, which advances at each call.
    pub(super) fn now(&self) -> u64 {
        let mut state = self.state();
        state.clock += 20;
        match &state.clocks {
            Some(clocks) => clocks.now(),
            None => state.clock,
        }
    }

    /// The number of processors that pools see.
    pub(super) fn processors(&self) -> usize {
        let mut state = self.state();
        match &state.clocks {
            Some(clocks) => clocks.processors,
            None => 1 + state.random.below(4) as usize,
        }
    }

    /// A random number below `bound`, for scenarios.
    pub(super) fn random(&self, bound: u64) -> u64 {
        self.state().random.below(bound)
    }

    /// From now on the system refuses to start one thread in three.
    pub(super) fn refuse_threads(&self) {
        self.state().refuses = true;
    }

    pub(super) fn refuses_a_thread(&self) -> bool {
        let mut state = self.state();
        state.refuses && state.random.below(3) == 0
    }

    pub(super) fn fault(&self) -> Option<faulty::Step> {
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
    pub(super) fn end(&'static self, me: usize) {
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
