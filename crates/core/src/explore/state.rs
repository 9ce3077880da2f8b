//! Which thread of a schedule goes on, by random numbers, and what time it is. So the whole run
//! follows from the seed.
//!
//! Two strategies alternate from seed to seed. A *walk* switches to another thread at each step
//! with a small probability, and holds the previous thread for a while. *Priorities* (Burckhardt et
//! al., ASPLOS 2010) let the thread of the highest priority go on, and lower it at a few random
//! steps: that finds errors that need few preemptions at unusual places. With both, a thread that
//! yields or spins lets others go on.
//!
//! In a simulation clocks decide instead (simulate.rs).

use super::simulate::Clocks;
use crate::{protocol::faulty, random::Random};
use std::thread::Thread;

/// More steps than any scenario takes.
const MOST_STEPS: u64 = 300_000;

/// From this step on all schedules walk: lowering priorities alone may not terminate.
const WALK_FROM: u64 = 20_000;

#[derive(Debug)]
pub(super) struct State {
    pub(super) seed: u64,
    pub(super) random: Random,
    pub(super) threads: Vec<Controlled>,
    pub(super) steps: u64,
    pub(super) clock: u64,
    /// The greatest time that a step advances the clock.
    pace: u64,
    /// The end of the next nap; `u64::MAX` if none is known.
    pub(super) alarm: u64,
    strategy: Strategy,
    pub(super) fault: Option<faulty::Step>,
    /// Whether some threads are refused.
    pub(super) refuses: bool,
    pub(super) outcome: Option<Result<(), String>>,
    /// Decide in place of a strategy, in a simulation.
    pub(super) clocks: Option<Clocks>,
}

#[derive(Debug)]
pub(super) struct Controlled {
    /// `None` until the thread has been started.
    pub(super) thread: Option<Thread>,
    pub(super) run: Run,
    priority: u64,
    /// Up to which step others are preferred.
    held_until: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Run {
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

impl State {
    pub(super) const fn new(seed: u64, fault: Option<faulty::Step>) -> Self {
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
            clocks: None,
        }
    }

    pub(super) fn begun(seed: u64, fault: Option<faulty::Step>) -> Self {
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

    pub(super) fn simulated(seed: u64, clocks: Clocks) -> Self {
        State {
            clocks: Some(clocks),
            ..State::new(seed, None)
        }
    }

    pub(super) fn add(&mut self) -> usize {
        let priority = (1 << 20) + 1 + self.random.below(1 << 30);
        self.threads.push(Controlled {
            thread: None,
            run: Run::Ready,
            priority,
            held_until: 0,
        });
        if let Some(clocks) = &mut self.clocks {
            clocks.add();
        }
        self.threads.len() - 1
    }

    pub(super) fn wake(&mut self, key: Key, all: bool) {
        let blocked = |t: &Controlled| matches!(t.run, Run::Blocked(by, _) if by == key);
        let threads = self.threads.iter().enumerate();
        let mut woken: Vec<usize> = threads
            .filter(|(_, t)| blocked(t))
            .map(|(w, _)| w)
            .collect();
        if !all && !woken.is_empty() {
            let nth = self.random.below(woken.len() as u64) as usize;
            woken = vec![woken[nth]];
        }
        // Who waits for a lock looks on.
        let sleeps = !all || matches!(key, Key::End(_));
        for who in woken {
            self.threads[who].run = Run::Ready;
            if let Some(clocks) = &mut self.clocks {
                clocks.wake(who, sleeps);
            }
        }
    }

    /// Returns the end of a sleep of so many nanoseconds.
    pub(super) fn end_of_nap(&mut self, after: u64) -> u64 {
        match &mut self.clocks {
            Some(clocks) => clocks.end_of_nap(after),
            None => self.clock.saturating_add(after),
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
    pub(super) fn next(&mut self, me: usize, step: Step) -> Option<usize> {
        self.steps += 1;
        if let Some(clocks) = &mut self.clocks {
            return clocks.next(&mut self.threads);
        }
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
