//! The process that holds one idle pool and watches its own threads. Its main thread only watches,
//! and is not counted; a second thread makes the pool, uses it for a while, and then sleeps,
//! outside or inside.

use std::process;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::{Case, IdleRecord};
use crate::contender::{self, Contender, Visit};
use crate::experiment::{Failure, Seat, pool};
use crate::problem::Problem;
use crate::problem::fib::Fib;
use crate::results::CellTimes;
use crate::usage::{self, Whose};

/// How long the pool is used before it is left alone.
const USE: Duration = Duration::from_millis(20);
/// How long it may take to calm down.
const CALM: Duration = Duration::from_millis(100);

/// Watches, and prints what it saw as JSON.
pub(crate) fn child(task: &str) -> Result<(), Failure> {
    if !cfg!(target_os = "linux") {
        return Err(Failure::Other("only Linux tells what threads use".into()));
    }
    let (case, time): (Case, Duration) = serde_json::from_str(task)?;
    let Case { id, threads, held } = case;
    let seat = Seat { id, threads };
    let (report, used) = mpsc::channel();
    thread::spawn(move || contender::visit(seat.id, User { seat, held, report }));
    used.recv()
        .map_err(|_| Failure::Other("the pool's user panicked".into()))??;
    thread::sleep(CALM);
    let before = used_by_others();
    let start = Instant::now();
    thread::sleep(time);
    let seconds = start.elapsed().as_secs_f64();
    let used = used_by_others().since(before);
    let record = IdleRecord {
        case,
        seconds,
        cpu_ms: (used.user + used.system) / 1e6,
        switches: used.voluntary,
    };
    println!("{}", serde_json::to_string(&record)?);
    // The user is still asleep.
    process::exit(0);
}

/// The thread that has a pool.
struct User {
    seat: Seat,
    held: bool,
    report: Sender<Result<(), Failure>>,
}

impl Visit for User {
    type Out = ();

    fn visit<C: Contender + 'static>(self) {
        let pool = match pool::<C>(self.seat) {
            Ok(pool) => pool,
            Err(failure) => return drop(self.report.send(Err(failure))),
        };
        pool.enter(|cx| {
            let start = Instant::now();
            while start.elapsed() < USE {
                Fib(20).solve::<C>(cx);
            }
            if self.held {
                self.rest();
            }
        });
        self.rest();
    }
}

impl User {
    fn rest(&self) {
        drop(self.report.send(Ok(())));
        loop {
            thread::sleep(Duration::from_secs(3600));
        }
    }
}

/// What all threads but this one have used so far.
fn used_by_others() -> CellTimes {
    usage::of(Whose::Own).0.since(usage::of(Whose::Thread).0)
}
