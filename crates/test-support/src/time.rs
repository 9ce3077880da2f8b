//! Time limits, and other dealings with time.

use std::{
    env, panic,
    sync::{
        Mutex, MutexGuard, Once, PoisonError,
        atomic::{AtomicBool, Ordering::SeqCst},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

/// What takes longer hangs, however busy the machine is.
pub const LONG: Duration = Duration::from_secs(120);

/// The numbers below `most`; fewer where they take long, as on a busy machine.
pub fn rounds(most: usize) -> impl Iterator<Item = usize> {
    let begin = Instant::now();
    (0..most).take_while(move |_| begin.elapsed() < LONG / 24)
}

/// Runs `f` on a thread of its own; a hang is a failure with a message.
pub fn within<R: Send + 'static>(
    limit: Duration,
    what: &str,
    f: impl FnOnce() -> R + Send + 'static,
) -> R {
    let (send, receive) = mpsc::channel();
    let f = move || send.send(f()).expect("the caller waits for its result");
    run_within(limit, what, Box::new(f));
    receive.recv().expect("it has been sent")
}

/// Not generic: hundreds of tests contain a call.
fn run_within(limit: Duration, what: &str, f: Box<dyn FnOnce() + Send>) {
    without_backtraces();
    let (send, receive) = mpsc::channel();
    let runner = thread::Builder::new()
        .name(what.into())
        .spawn(move || {
            f();
            send.send(()).expect("the caller waits for the end");
        })
        .expect("a thread to run the test on");
    match receive.recv_timeout(limit) {
        Ok(()) => {}
        Err(RecvTimeoutError::Timeout) => panic!("{what}: hangs (nothing after {limit:?})"),
        Err(RecvTimeoutError::Disconnected) => match runner.join() {
            Ok(()) => unreachable!("the sender is used before it is dropped"),
            Err(payload) => panic::resume_unwind(payload),
        },
    }
}

/// Waits until `done`, without hogging the processor; false when `limit` is over first.
pub fn wait_until(limit: Duration, mut done: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    for round in 0_u32.. {
        if done() {
            return true;
        }
        if start.elapsed() > limit {
            return false;
        }
        if round < 100 {
            thread::yield_now();
        } else {
            thread::sleep(Duration::from_micros(20));
        }
    }
    unreachable!("the deadline comes first")
}

/// The median of times.
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// How soon another thread does something on this machine at present: the mean for new threads of
/// std. On a busy machine most begin at once, and some where another program keeps the processor.
fn handover_time() -> Duration {
    let time = |_| {
        let (begin, begun) = (Instant::now(), AtomicBool::new(false));
        thread::scope(|threads| {
            threads.spawn(|| begun.store(true, SeqCst));
            assert!(wait_until(LONG, || begun.load(SeqCst)));
            begin.elapsed()
        })
    };
    let rounds = 25;
    (0..rounds).map(time).sum::<Duration>() / rounds
}

/// Measures a time that must be below `limit`: once, unless the machine is busy with something
/// else. That makes everything late, now and then or always, std's threads too.
#[track_caller]
pub fn assert_soon(what: &str, limit: Duration, mut measure: impl FnMut() -> Duration) {
    let (mut times, mut handover) = (Vec::new(), Duration::ZERO);
    while times.len() < 5 {
        let time = measure();
        if time < limit {
            return;
        }
        times.push(time);
        handover = handover.max(handover_time());
    }
    let limit = limit + 20 * handover;
    assert!(
        times.iter().any(|&time| time < limit),
        "{what}: {times:?}, not {limit:?}"
    );
}

/// Occupies the processor for about `time`.
pub fn spin(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// Costs some microseconds, so that other threads ask for work meanwhile.
pub fn work() {
    spin(Duration::from_micros(8));
}

/// Keeps tests that measure time or count threads from disturbing one another.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A panic while another one unwinds prints a backtrace even where none is asked for. Under Miri
/// and ThreadSanitizer that takes seconds.
pub(crate) fn without_backtraces() {
    static ONCE: Once = Once::new();
    let are_asked_for = || env::var("RUST_BACKTRACE").is_ok_and(|style| style != "0");
    if cfg!(miri) || !are_asked_for() {
        ONCE.call_once(|| panic::set_hook(Box::new(|info| eprintln!("{info}"))));
    }
}

/// Gives others the time to ask and to take.
pub fn dawdle() {
    if cfg!(miri) {
        return (0..8).for_each(|_| thread::yield_now());
    }
    // On a busy machine giving way once may take milliseconds.
    let since = Instant::now();
    let mut rounds = 0..20;
    while rounds.next().is_some() && since.elapsed() < Duration::from_millis(1) {
        thread::yield_now();
    }
}
