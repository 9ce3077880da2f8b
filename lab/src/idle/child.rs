//! The process that holds one idle pool and watches its own threads. Its main thread only watches,
//! and is not counted; a second thread makes the pool, uses it for a while, and then sleeps,
//! outside or inside. CPU time and switches come from `/proc/self/task`.

use std::fs;
use std::process;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::{Case, IdleRecord};
use crate::contender::{self, Contender, Visit};
use crate::experiment::{Failure, Seat, pool};
use crate::problem::Problem;
use crate::problem::fib::Fib;

/// How long the pool is used before it is left alone.
const USE: Duration = Duration::from_millis(20);
/// How long it may take to calm down.
const CALM: Duration = Duration::from_millis(100);

/// Watches, and prints what it saw as JSON.
pub(crate) fn child(task: &str) -> Result<(), Failure> {
    let (case, time): (Case, Duration) = serde_json::from_str(task)?;
    let Case { id, threads, held } = case;
    let seat = Seat { id, threads };
    let (report, used) = mpsc::channel();
    thread::spawn(move || contender::visit(seat.id, User { seat, held, report }));
    used.recv()
        .map_err(|_| Failure::Other("the pool's user panicked".into()))??;
    thread::sleep(CALM);
    let before = Usage::of_other_threads()?;
    let start = Instant::now();
    thread::sleep(time);
    let seconds = start.elapsed().as_secs_f64();
    let after = Usage::of_other_threads()?;
    let record = IdleRecord {
        case,
        seconds,
        cpu_ms: after.cpu_ns.saturating_sub(before.cpu_ns) as f64 / 1e6,
        switches: after.switches.saturating_sub(before.switches),
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

/// What threads have used so far.
#[derive(Clone, Copy, Default)]
struct Usage {
    cpu_ns: u64,
    switches: u64,
}

impl Usage {
    /// The sum over all threads but the main one, whose number is the process's.
    fn of_other_threads() -> Result<Usage, Failure> {
        let unreadable = |why| Failure::Other(format!("cannot read /proc/self/task: {why}"));
        let main = process::id().to_string();
        let mut sum = Usage::default();
        for task in fs::read_dir("/proc/self/task").map_err(unreadable)? {
            let task = task.map_err(unreadable)?;
            if task.file_name().to_str() == Some(&main) {
                continue;
            }
            let read = |file| fs::read_to_string(task.path().join(file)).map_err(unreadable);
            sum.cpu_ns += first_number(&read("schedstat")?);
            let status = read("status")?;
            let line = status
                .lines()
                .find_map(|l| l.strip_prefix("voluntary_ctxt_switches:"));
            sum.switches += line.map_or(0, first_number);
        }
        Ok(sum)
    }
}

fn first_number(text: &str) -> u64 {
    let first = text.split_whitespace().next();
    first.and_then(|word| word.parse().ok()).unwrap_or(0)
}
