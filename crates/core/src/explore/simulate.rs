//! Simulated machines: the real scheduler on more processors than there are.
//!
//! A [`Schedule`] with [`Clocks`] lets one thread at a time go on, as the explorer does, but in the
//! order in which a machine would on which every thread has a processor of its own. Each thread
//! has a clock. Each of its steps advances the clock by a price, and the thread whose clock is the
//! lowest goes on. So all that runs is the code of the pools, hot path and all; there is no model
//! of the scheduler that could differ from it. What is a model is the machine:
//!
//! * An access to a word costs little for a thread that **has** the word; another first fetches it,
//!   which takes a [`transfer`](Prices::transfer). All that have read it since it was last written
//!   have it; after a write the writer alone has it. Transfers of one word follow one another.
//!   Words closer than a cache line to the one that a thread has just fetched come along. A store
//!   does not wait for its word.
//! * A thread that finds a **lock** taken goes on when it is released.
//! * **Waking** a thread that sleeps costs its waker [`unpark`](Prices::unpark); the thread goes on
//!   [`wake`](Prices::wake) after the waker began. A nap that ends by itself ends
//!   [`overshoot`](Prices::overshoot) late. Both vary by a quarter up and down, as the seed says.
//! * **Users' work** advances the clock by what the program says ([`work`]).
//! * The clock of the pool is that of the thread that reads it.
//!
//! A thread goes on until its clock is [`quantum`](Prices::quantum) ahead of the lowest other one,
//! since a switch takes some microseconds of real time. So a thread may see what another does up
//! to a quantum later, which is a transfer.
//!
//! **Prices** are in picoseconds. The defaults of `load`, `transfer`, `unpark` and `wake` are of
//! the order that `lab sim --check` measures on virtual machines of two processors, and it measures
//! them before it compares. `load` is half of what a join adds to a call that has nothing else to
//! do: the loads of the attention word are the only steps of the hot path, so the stores into the
//! frame are in their price. `change` and `fence` are a locked instruction's 20 cycles, `spin` is
//! that of one `pause`, `clock` is what reading the time takes without a system call, `give_way`
//! a system call that changes nothing. `store` and `overshoot` are guesses.
//!
//! **Left out**: code between steps is free, apart from the hot path's, so that a promotion is too
//! cheap by some tens of nanoseconds. A processor does not fetch several words at once. Two words
//! of one line do not disturb each other. There is one distance: no sockets, no processors that
//! share a core. Users' data do not move, and the memory serves any number of threads. The system
//! preempts no thread. The memory is sequentially consistent.
//!
//! One seed gives one result: the order follows from the prices and the seed alone. No step looks
//! at where a word lies, but for the distance of two, which is that of fields of one object: small
//! objects that threads share are aligned, to be a line **apart** wherever the allocator puts them.

use super::{
    current::with_current,
    schedule::Schedule,
    state::{Controlled, Run},
};
use crate::{
    os::{self, CALLING, Processors},
    random::Random,
};
use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// The most threads of a simulation: a word has a bit for each.
const MOST_THREADS: usize = u128::BITS as usize;
/// Words closer than this are fetched together.
const LINE: usize = 64;

macro_rules! prices {
    ($($(#[$doc:meta])* $name:ident = $picos:expr;)*) => {
        /// What steps cost, in picoseconds.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Prices {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Default for Prices {
            fn default() -> Self {
                Prices { $($name: $picos,)* }
            }
        }

        impl Prices {
            /// Changes the price of this name; returns false if there is none.
            pub fn set(&mut self, name: &str, picos: u64) -> bool {
                match name {
                    $(stringify!($name) => self.$name = picos,)*
                    _ => return false,
                }
                true
            }
        }
    };
}

prices! {
    /// A load of a word that the thread has.
    load = 600;
    /// A store to a word that the thread alone has.
    store = 1_000;
    /// A read-modify-write of such a word; a lock and its release are two.
    change = 6_000;
    /// A fence.
    fence = 6_000;
    /// An access to a word that the thread does not have.
    transfer = 100_000;
    /// A pause between two looks.
    spin = 20_000;
    /// Letting other threads go on when there are none.
    give_way = 400_000;
    /// Reading the time.
    clock = 25_000;
    /// Waking a thread, for the one that does.
    unpark = 5_000_000;
    /// From then until the woken thread runs.
    wake = 30_000_000;
    /// How late a nap ends.
    overshoot = 5_000_000;
    /// How far a thread may go ahead of the others. No price.
    quantum = 100_000;
}

/// What a thread does in a step.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cost {
    /// Accesses to the word at an address.
    Load(usize),
    Store(usize),
    Change(usize),
    /// Takes a lock, and releases it later.
    Lock(usize),
    Fence,
    Spin,
    Yield,
    Clock,
    Unpark,
    /// Work of users', in picoseconds.
    Work(u64),
}

/// The clocks of a simulation's threads, in picoseconds.
#[derive(Debug)]
pub(super) struct Clocks {
    prices: Prices,
    pub(super) processors: usize,
    random: Random,
    of: Vec<u64>,
    /// The address of the word that each thread fetched last, and whether to write to it.
    fetched: Vec<(usize, bool)>,
    /// The thread that has the turn.
    running: usize,
    /// Up to where it may go on.
    limit: u64,
    words: HashMap<usize, Word, BuildHasherDefault<ByAddress>>,
}

/// A word of memory that threads share.
#[derive(Debug, Default)]
struct Word {
    /// The threads that have it, a bit each; none before the first access.
    holders: u128,
    /// When its last transfer ended.
    arrived: u64,
}

impl Clocks {
    pub(super) fn new(seed: u64, processors: usize, prices: Prices) -> Self {
        Clocks {
            prices,
            processors,
            random: Random::new(seed),
            of: Vec::new(),
            fetched: Vec::new(),
            running: 0,
            limit: u64::MAX,
            words: HashMap::default(),
        }
    }

    /// A thread begins, whose clock is that of the one that starts it, and a wake-up.
    pub(super) fn add(&mut self) {
        assert!(self.of.len() < MOST_THREADS, "too many threads");
        let starter = self.of.get(self.running).copied();
        let begin = starter.map_or(0, |now| now + self.prices.wake);
        self.of.push(begin);
        self.fetched.push((0, false));
        self.bound(begin);
    }

    /// The time of the running thread, in nanoseconds.
    pub(super) fn now(&self) -> u64 {
        self.of[self.running] / 1000
    }

    /// Advances the clock of the running thread. Returns whether it may go on.
    pub(super) fn pay(&mut self, cost: Cost) -> bool {
        let prices = self.prices;
        let price = match cost {
            Cost::Load(word) => prices.load + self.fetch(word, false),
            Cost::Store(word) => {
                self.fetch(word, true);
                prices.store
            }
            Cost::Change(word) => prices.change + self.fetch(word, true),
            Cost::Lock(word) => 2 * prices.change + self.fetch(word, true),
            Cost::Fence => prices.fence,
            Cost::Spin => prices.spin,
            Cost::Yield => prices.give_way,
            Cost::Clock => prices.clock,
            Cost::Unpark => prices.unpark,
            Cost::Work(picos) => picos,
        };
        let clock = &mut self.of[self.running];
        *clock = clock.saturating_add(price);
        *clock <= self.limit
    }

    /// Fetches a word for the running thread, unless it has it. Returns how long that takes.
    fn fetch(&mut self, address: usize, writes: bool) -> u64 {
        let me = 1 << self.running;
        let now = self.of[self.running];
        let word = self.words.entry(address).or_default();
        let has = match (word.holders, writes) {
            (0, _) => true,
            (holders, false) => holders & me != 0,
            (holders, true) => holders == me,
        };
        word.holders = if writes { me } else { word.holders | me };
        let (last, to_write) = self.fetched[self.running];
        let comes_along = last.abs_diff(address) < LINE && (to_write || !writes);
        if has || comes_along {
            return 0;
        }
        self.fetched[self.running] = (address, writes);
        word.arrived = word.arrived.max(now) + self.prices.transfer;
        word.arrived - now
    }

    /// Returns when a nap of the running thread ends.
    pub(super) fn end_of_nap(&mut self, nanos: u64) -> u64 {
        let late = self.varied(self.prices.overshoot);
        self.of[self.running]
            .saturating_add(nanos.saturating_mul(1000))
            .saturating_add(late)
    }

    /// The running thread lets another one go on, which `sleeps` or looks.
    pub(super) fn wake(&mut self, who: usize, sleeps: bool) {
        let late = if sleeps {
            self.varied(self.prices.wake)
        } else {
            0
        };
        let begin = self.of[self.running] + late;
        self.of[who] = self.of[who].max(begin);
        self.bound(self.of[who]);
    }

    /// Returns the thread that goes on, and wakes it if its nap is over. `None` if there is none.
    pub(super) fn next(&mut self, threads: &mut [Controlled]) -> Option<usize> {
        let (mut first, mut second) = ((u64::MAX, None), u64::MAX);
        for (who, thread) in threads.iter().enumerate() {
            let at = match thread.run {
                Run::Ready => self.of[who],
                Run::Blocked(_, Some(until)) => until.max(self.of[who]),
                Run::Blocked(_, None) | Run::Ended => continue,
            };
            if first.1.is_none() || at < first.0 {
                second = first.0;
                first = (at, Some(who));
            } else {
                second = second.min(at);
            }
        }
        let (at, next) = first;
        self.running = next?;
        self.of[self.running] = at;
        threads[self.running].run = Run::Ready;
        self.limit = u64::MAX;
        self.bound(second);
        next
    }

    /// The running thread must not go far ahead of this time.
    fn bound(&mut self, time: u64) {
        self.limit = self.limit.min(time.saturating_add(self.prices.quantum));
    }

    /// A time that is up to a quarter longer or shorter.
    fn varied(&mut self, time: u64) -> u64 {
        time - time / 4 + self.random.below(time / 2 + 1)
    }
}

/// Multiplies an address by a large odd number.
#[derive(Debug, Default)]
struct ByAddress(u64);

impl Hasher for ByAddress {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(byte.into()));
    }

    fn write_usize(&mut self, word: usize) {
        let mixed = (self.0 ^ word as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Runs `main`, and the pools that it uses, on a simulated machine, and returns its result.
///
/// # Errors
/// It panics, or all its threads sleep.
///
/// # Panics
/// If there are more than 128 threads.
pub fn run<T: Send + 'static>(
    seed: u64,
    processors: usize,
    prices: Prices,
    main: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let result = Arc::new(Mutex::new(None));
    let place = Arc::clone(&result);
    // The threads of a run that fails keep it.
    let schedule: &'static Schedule = Box::leak(Box::new(Schedule::new()));
    let run = move || {
        use_one_processor();
        schedule.simulate(seed, Clocks::new(seed, processors, prices), move || {
            let returned = panic::catch_unwind(AssertUnwindSafe(main));
            *place.lock().unwrap_or_else(PoisonError::into_inner) = returned.ok();
        })
    };
    // The calling thread may go on using all processors.
    std::thread::spawn(run)
        .join()
        .expect("no panic in a schedule")?;
    let returned = result.lock().unwrap_or_else(PoisonError::into_inner).take();
    returned.ok_or_else(|| "the program panicked".into())
}

/// Works for so many picoseconds of simulated time.
pub fn work(picos: u64) {
    with_current(|schedule, me| schedule.pay(me, Cost::Work(picos)));
}

/// Returns the simulated time of the calling thread, in nanoseconds.
pub fn now() -> u64 {
    with_current(|schedule, _| schedule.now()).unwrap_or(0)
}

/// Keeps the calling thread, and threads that it starts, on one processor: since one of them runs
/// at a time, that makes switches cheaper.
pub(super) fn use_one_processor() {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let Some(all) = os::processors(CALLING) else {
        return;
    };
    let mine: Vec<u32> = (0..1024).filter(|&cpu| all.without(cpu) != all).collect();
    let Some(&one) = mine.get(NEXT.fetch_add(1, Ordering::Relaxed) % mine.len().max(1)) else {
        return;
    };
    let others = mine.iter().filter(|&&cpu| cpu != one);
    let only: Processors = others.fold(all, |only, &cpu| only.without(cpu));
    os::set_processors(CALLING, &only);
}

#[cfg(test)]
mod tests;
