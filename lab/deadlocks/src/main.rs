//! Published deadlocks of programs that use rayon, retold: a file each, on rayon's public
//! interface. `lab deadlocks` builds them on rayon's scheduler and on sumac's, and runs each on
//! both.
//!
//!     sumac-deadlocks                         names the cases, one a line: name, source, what
//!                                             waits for what, rounds
//!     sumac-deadlocks CASE ROUNDS PATIENCE    runs a case until a round does not end in so many
//!                                             seconds; prints how many ended, and in how many a
//!                                             part of nested work ran on another thread than the
//!                                             one that waits for it

#![forbid(unsafe_code)]

mod block_stm;
mod cache_lock;
mod cached_node;
mod driver;
mod messages;
mod mutex;
mod native_pool;
mod once_lock;
mod once_vec;
mod par_bridge;
mod read_lock;
mod thread_buffer;
mod workspace;
mod write_lock;

use std::env;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// A deadlock.
struct Case {
    /// What it is called here.
    name: &'static str,
    /// Where it was published.
    source: &'static str,
    /// What waits for what, in a few words.
    waits: &'static str,
    /// After how many it has hung on rayon, nearly surely.
    rounds: usize,
    /// Runs it once.
    round: fn(),
}

const CASES: [Case; 14] = [
    mutex::CASE,
    driver::CASE,
    native_pool::CASE,
    read_lock::CASE,
    write_lock::CASE,
    cache_lock::CASE,
    once_lock::CASE,
    once_vec::CASE,
    cached_node::CASE,
    workspace::CASE,
    thread_buffer::CASE,
    par_bridge::CASE,
    block_stm::CASE,
    messages::CASE,
];

/// As many threads as every pool that a case does not make itself has.
const THREADS: usize = 8;

/// Whether a part has run on another thread than its owner's in this round.
static HELPED: AtomicBool = AtomicBool::new(false);

/// The thread that waits for parallel work.
#[derive(Clone, Copy)]
struct Owner(ThreadId);

impl Owner {
    /// This one.
    fn here() -> Owner {
        Owner(thread::current().id())
    }

    /// A part of the work that the owner waits for.
    fn part(self) {
        self.note();
        work();
    }

    /// Notes whether this is another thread.
    fn note(self) {
        if thread::current().id() != self.0 {
            HELPED.store(true, Ordering::Relaxed);
        }
    }
}

/// Some work, slept: so threads that wait are found waiting on machines with few cores, too.
fn work() {
    thread::sleep(Duration::from_micros(50));
}

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let Some([name, rounds, patience]) = words.first_chunk() else {
        for case in &CASES {
            let Case {
                name,
                source,
                waits,
                rounds,
                ..
            } = case;
            println!("{name}\t{source}\t{waits}\t{rounds}");
        }
        return;
    };
    let case = CASES.iter().find(|case| case.name == name);
    let case = case.expect("the name of a case");
    let rounds: usize = rounds.parse().expect("a number of rounds");
    let patience = Duration::from_secs_f64(patience.parse().expect("seconds"));
    rayon::ThreadPoolBuilder::new()
        .num_threads(THREADS)
        .build_global()
        .expect("the first pool");
    let (ended, all_ended) = mpsc::channel();
    thread::spawn(move || {
        for _ in 0..rounds {
            (case.round)();
            ended.send(HELPED.swap(false, Ordering::Relaxed)).ok();
        }
    });
    let (mut count, mut helped) = (0, 0);
    let last = loop {
        match all_ended.recv_timeout(patience) {
            Ok(help) => (count, helped) = (count + 1, helped + usize::from(help)),
            Err(why) => break why,
        }
    };
    let has_failed = last == RecvTimeoutError::Disconnected && count < rounds;
    assert!(!has_failed, "round {} panicked", count + 1);
    println!("{count}\t{helped}");
}
