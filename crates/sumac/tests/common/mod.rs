//! What all test programs share: both styles of join behind one handle, a watchdog, child
//! processes, and ledgers that count drops. Each program uses its own part of it.
#![allow(dead_code)]

use std::{
    env, fs,
    io::Read,
    panic::{self, AssertUnwindSafe},
    path::PathBuf,
    process::{Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use sumac::{Callers, Promise, Scope, ThreadPool, ThreadPoolBuilder};

/// How a test forks: through the handle, or through the thread-local functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Scope,
    Join,
}

impl Style {
    pub(crate) const ALL: [Style; 2] = [Style::Scope, Style::Join];
}

/// A handle of either style, so that one test body serves both.
pub(crate) enum Cx<'a, 's> {
    Scope(&'a mut Scope<'s>),
    Join,
}

impl Cx<'_, '_> {
    pub(crate) fn join<A, B, RA, RB>(&mut self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&mut Cx<'_, '_>) -> RA + Send,
        B: FnOnce(&mut Cx<'_, '_>) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        match self {
            Cx::Scope(s) => s.join(|s| a(&mut Cx::Scope(s)), |s| b(&mut Cx::Scope(s))),
            Cx::Join => sumac::join(|| a(&mut Cx::Join), || b(&mut Cx::Join)),
        }
    }
}

/// Enters `pool` in the given style.
pub(crate) fn enter<R: Send>(
    style: Style,
    pool: &ThreadPool,
    f: impl FnOnce(&mut Cx<'_, '_>) -> R + Send,
) -> R {
    match style {
        Style::Scope => f(&mut Cx::Scope(&mut pool.scope())),
        Style::Join => pool.install(|| f(&mut Cx::Join)),
    }
}

pub(crate) fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a pool of ordinary size")
}

/// A builder of pools whose callers wait.
pub(crate) fn waited_builder(threads: usize) -> ThreadPoolBuilder {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    builder.callers(Callers::Wait)
}

pub(crate) fn waited(threads: usize) -> ThreadPool {
    waited_builder(threads)
        .build()
        .expect("a pool whose callers wait")
}

/// Sums `lo..hi` with a join at every split: the smallest proof that a pool still works.
pub(crate) fn sum(cx: &mut Cx<'_, '_>, lo: u64, hi: u64) -> u64 {
    if hi - lo <= 1 {
        return lo;
    }
    let mid = lo + (hi - lo) / 2;
    let (a, b) = cx.join(|cx| sum(cx, lo, mid), |cx| sum(cx, mid, hi));
    a + b
}

pub(crate) fn assert_usable(pool: &ThreadPool) {
    for style in Style::ALL {
        assert_eq!(enter(style, pool, |cx| sum(cx, 0, 1_000)), 499_500);
    }
}

/// What takes longer hangs, however busy the machine is.
pub(crate) const LONG: Duration = Duration::from_secs(120);

/// The numbers below `most`; fewer where they take long, as on a busy machine.
pub(crate) fn rounds(most: usize) -> impl Iterator<Item = usize> {
    let begin = Instant::now();
    (0..most).take_while(move |_| begin.elapsed() < LONG / 8)
}

/// Runs `f` on a thread of its own; a hang is a failure with a message.
pub(crate) fn within<R: Send + 'static>(
    limit: Duration,
    what: &str,
    f: impl FnOnce() -> R + Send + 'static,
) -> R {
    let (send, receive) = mpsc::channel();
    let runner = thread::Builder::new()
        .name(what.into())
        .spawn(move || send.send(f()).expect("the test waits for its result"))
        .expect("a thread to run the test on");
    match receive.recv_timeout(limit) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => panic!("{what}: hangs (nothing after {limit:?})"),
        Err(RecvTimeoutError::Disconnected) => match runner.join() {
            Ok(()) => unreachable!("the sender is used before it is dropped"),
            Err(payload) => panic::resume_unwind(payload),
        },
    }
}

/// Waits until `done`, without hogging the processor; false when `limit` is over first.
pub(crate) fn wait_until(limit: Duration, done: impl Fn() -> bool) -> bool {
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

/// Waits as [`wait_until`], in joins: a thread that is asked for work meanwhile gives it away. So
/// a test of something else does not depend on how soon an offer is made; `wakeups.rs` tests that.
pub(crate) fn keep_forking(cx: &mut Cx<'_, '_>, done: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while !done() {
        if start.elapsed() > LONG / 2 {
            return false;
        }
        sum(cx, 0, 4);
        thread::yield_now();
    }
    true
}

/// Runs `f` on a worker of `pool`.
pub(crate) fn on_a_worker<R: Send>(pool: &ThreadPool, f: impl FnOnce() -> R + Send) -> R {
    let taken = AtomicBool::new(false);
    let ((), (worker, result)) = pool.join(
        || {
            let taken = || taken.load(SeqCst);
            assert!(keep_forking(&mut Cx::Join, taken), "not taken");
        },
        || {
            taken.store(true, SeqCst);
            (thread::current().id(), f())
        },
    );
    assert_ne!(worker, thread::current().id());
    result
}

pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// How soon another thread does something on this machine at present: the median for new threads of std.
fn handover_time() -> Duration {
    let time = |_| {
        let (begin, begun) = (Instant::now(), AtomicBool::new(false));
        thread::scope(|threads| {
            threads.spawn(|| begun.store(true, SeqCst));
            assert!(wait_until(LONG, || begun.load(SeqCst)));
            begin.elapsed()
        })
    };
    median((0..25).map(time).collect())
}

/// Measures a time that must be below `limit`: once, unless the machine is busy with something else. That makes everything
/// late, now and then or always, std's threads too.
#[track_caller]
pub(crate) fn assert_soon(what: &str, limit: Duration, mut measure: impl FnMut() -> Duration) {
    let mut times = Vec::new();
    while times.len() < 5 {
        let time = measure();
        if time < limit {
            return;
        }
        times.push(time);
    }
    let limit = limit + 20 * handover_time();
    assert!(
        times.iter().any(|&time| time < limit),
        "{what}: {times:?}, not {limit:?}"
    );
}

/// Occupies the processor for about `time`.
pub(crate) fn spin(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// Keeps tests that measure time or count threads from disturbing one another.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts tokens made and dropped; they must balance whatever way a join ends.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    made: AtomicUsize,
    dropped: AtomicUsize,
}

impl Ledger {
    pub(crate) const fn new() -> Ledger {
        Ledger {
            made: AtomicUsize::new(0),
            dropped: AtomicUsize::new(0),
        }
    }

    pub(crate) fn token(&self) -> Token<'_> {
        self.made.fetch_add(1, SeqCst);
        Token(self)
    }

    pub(crate) fn dropped(&self) -> usize {
        self.dropped.load(SeqCst)
    }

    /// (made, dropped)
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.made.load(SeqCst), self.dropped())
    }

    #[track_caller]
    pub(crate) fn assert_balanced(&self) {
        let (made, dropped) = self.counts();
        assert!(made > 0, "the test made no tokens");
        assert_eq!(made, dropped, "values made and values dropped");
    }
}

#[derive(Debug)]
pub(crate) struct Token<'a>(&'a Ledger);

impl Drop for Token<'_> {
    fn drop(&mut self) {
        self.0.dropped.fetch_add(1, SeqCst);
    }
}

/// Catches a panic and returns its payload; panics when there is none.
#[track_caller]
pub(crate) fn caught<R>(f: impl FnOnce() -> R) -> Box<dyn std::any::Any + Send> {
    match panic::catch_unwind(AssertUnwindSafe(f)) {
        Ok(_) => panic!("a panic was expected"),
        Err(payload) => payload,
    }
}

/// Panics without the message and backtrace that a hook would print.
pub(crate) fn throw<T: Send + 'static>(payload: T) -> ! {
    panic::resume_unwind(Box::new(payload))
}

/// The text of a payload made by `panic!`.
pub(crate) fn text(payload: &(dyn std::any::Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("not a text")
}

const CHILD: &str = "SUMAC_TEST_CHILD";

/// The argument this process was given by [`child`] for `test`, if it is such a child.
pub(crate) fn child_argument(test: &str) -> Option<String> {
    let value = env::var(CHILD).ok()?;
    Some(value.strip_prefix(test)?.strip_prefix('=')?.to_owned())
}

/// This test program again, running only `test`, which sees `argument`.
pub(crate) fn child(test: &str, argument: &str) -> Command {
    let mut command = Command::new(env::current_exe().expect("the path of this program"));
    command
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, format!("{test}={argument}"))
        .env("RUST_BACKTRACE", "0");
    command
}

pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) output: String,
}

/// Runs `command` to its end and returns what it printed; kills it and fails when it hangs.
#[track_caller]
pub(crate) fn run(mut command: Command, limit: Duration) -> Ended {
    let mut process = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a child process");
    let readers = [
        Box::new(process.stdout.take().expect("piped")) as Box<dyn Read + Send>,
        Box::new(process.stderr.take().expect("piped")),
    ]
    .map(|mut pipe| {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            pipe.read_to_end(&mut bytes).expect("a readable pipe");
            String::from_utf8_lossy(&bytes).into_owned()
        })
    });
    let start = Instant::now();
    let status = loop {
        if let Some(status) = process.try_wait().expect("a child to wait for") {
            break Some(status);
        }
        if start.elapsed() > limit {
            process.kill().expect("a child to kill");
            process.wait().expect("a killed child");
            break None;
        }
        thread::sleep(Duration::from_millis(1));
    };
    let output: String = readers
        .map(|reader| reader.join().expect("a reader that does not panic"))
        .concat();
    match status {
        Some(status) => Ended { status, output },
        None => panic!("child process hangs (killed after {limit:?}):\n{output}"),
    }
}

/// As [`run`], and the child must succeed.
#[track_caller]
pub(crate) fn run_well(command: Command, limit: Duration) -> String {
    let ended = run(command, limit);
    assert!(
        ended.status.success(),
        "child process: {}\n{}",
        ended.status,
        ended.output
    );
    ended.output
}

/// A small seeded generator (splitmix64), the same on every platform.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// A task that says when it has begun and ends when it is told to.
pub(crate) fn held(pool: &ThreadPool) -> (Promise<u32>, mpsc::Sender<()>) {
    let (begun, has_begun) = mpsc::channel();
    let (end, ended) = mpsc::channel::<()>();
    let promise = pool.spawn(move || {
        begun.send(()).expect("the test waits");
        let _ = ended.recv();
        5
    });
    has_begun
        .recv_timeout(LONG)
        .expect("a worker begins the task");
    (promise, end)
}

/// Recurses over so many kilobytes of the stack.
#[inline(never)]
pub(crate) fn eat(kilobytes: u32) -> u32 {
    let frame = std::hint::black_box([1_u8; 1024]);
    if kilobytes == 0 {
        0
    } else {
        eat(kilobytes - 1) + u32::from(frame[7])
    }
}

/// A pool, and its workers as the system knows them.
pub(crate) fn watched_pool(threads: usize) -> (ThreadPool, Vec<PathBuf>) {
    let workers = Arc::new(Mutex::new(Vec::new()));
    let started = Arc::clone(&workers);
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .spawn_handler(move |worker| {
            let started = Arc::clone(&started);
            thread::spawn(move || {
                let me = fs::read_link("/proc/thread-self").expect("the name of this thread");
                let me = PathBuf::from("/proc").join(me);
                started.lock().expect("no poison").push(me);
                worker.run();
            });
            Ok(())
        })
        .build()
        .expect("a pool");
    let count = || workers.lock().expect("no poison").len();
    assert!(
        wait_until(LONG / 2, || count() == threads - 1),
        "{} of {} workers",
        count(),
        threads - 1
    );
    let workers = workers.lock().expect("no poison").clone();
    (pool, workers)
}
