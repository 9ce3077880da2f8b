//! What each thread is doing, and a thread that ends the process when nothing has begun for long.

use crate::program::Kind;
use std::{
    process,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

/// The status of a process that hangs.
pub(crate) const HANGS: i32 = 3;

static BEGUN: AtomicU64 = AtomicU64::new(0);
static THREADS: Mutex<Vec<Arc<Doing>>> = Mutex::new(Vec::new());
static ABOUT: Mutex<String> = Mutex::new(String::new());

/// The operations that a thread is inside of, the outermost first.
type Doing = Mutex<Vec<(usize, Kind, &'static str)>>;

thread_local! {
    static HERE: Arc<Doing> = {
        let doing = Arc::default();
        lock(&THREADS).push(Arc::clone(&doing));
        doing
    };
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Inside an operation until it is dropped.
pub(crate) struct Inside(Arc<Doing>);

/// Inside the operation `id`, of which it does `what`.
pub(crate) fn inside(id: usize, kind: Kind, what: &'static str) -> Inside {
    BEGUN.fetch_add(1, Relaxed);
    let here = HERE.with(Arc::clone);
    lock(&here).push((id, kind, what));
    Inside(here)
}

impl Drop for Inside {
    fn drop(&mut self) {
        lock(&self.0).pop();
    }
}

/// From now on a hang is one of this.
pub(crate) fn begin(about: String) {
    BEGUN.fetch_add(1, Relaxed);
    // Those of threads that have ended go.
    lock(&THREADS).retain(|doing| Arc::strong_count(doing) > 1);
    *lock(&ABOUT) = about;
}

/// Starts the thread that watches.
pub(crate) fn start(patience: Duration) {
    thread::spawn(move || {
        let (mut seen, mut since) = (0, Instant::now());
        while since.elapsed() < patience {
            thread::sleep(Duration::from_millis(50));
            let now = BEGUN.load(Relaxed);
            if now != seen {
                (seen, since) = (now, Instant::now());
            }
        }
        println!(
            "HANGS: no operation has begun for {patience:?}\n{}",
            lock(&ABOUT)
        );
        for (number, doing) in lock(&THREADS).iter().enumerate() {
            let doing = lock(doing);
            let each = doing
                .iter()
                .map(|(id, kind, what)| format!(" > {id} {kind:?} {what}"));
            if !doing.is_empty() {
                println!("  thread {number}:{}", each.collect::<String>());
            }
        }
        process::exit(HANGS);
    });
}
