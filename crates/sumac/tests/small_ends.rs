//! Scopes that outlive their thread's record: for Miri on a system where a thread-local that is
//! used after its destructor begins anew, so that the thread gets a second record.

use std::{
    cell::RefCell,
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering::SeqCst},
    },
    thread::{self, LocalKey},
};
use sumac::{ThreadPool, ThreadPoolBuilder};

/// Calls the function in a destructor of a thread-local, after passing it on so many times, from
/// one destructor to the next: by then the thread's record has gone.
struct Late(u32, Option<Box<dyn FnOnce()>>);

type Slot = LocalKey<RefCell<Option<Late>>>;

thread_local! {
    static EVEN: RefCell<Option<Late>> = const { RefCell::new(None) };
    static ODD: RefCell<Option<Late>> = const { RefCell::new(None) };
}

impl Late {
    fn put(times: u32, call: impl FnOnce() + 'static) {
        let slot: &'static Slot = if times % 2 == 0 { &EVEN } else { &ODD };
        let late = Late(times, Some(Box::new(call)));
        // Where it cannot be put the call comes at once.
        let _ = slot.try_with(|slot| *slot.borrow_mut() = Some(late));
    }
}

impl Drop for Late {
    fn drop(&mut self) {
        let Some(call) = self.1.take() else { return };
        match self.0 {
            0 => call(),
            times => Late::put(times - 1, call),
        }
    }
}

fn pool() -> &'static ThreadPool {
    static POOL: OnceLock<ThreadPool> = OnceLock::new();
    let two = || ThreadPoolBuilder::new().num_threads(2).build();
    POOL.get_or_init(|| two().expect("a pool"))
}

#[test]
fn a_scope_made_without_a_record_may_meet_one() {
    struct Handler;

    impl Drop for Handler {
        fn drop(&mut self) {
            let mut scope = pool().scope();
            Late::put(0, move || {
                // With it comes the new record, which is asked for work.
                drop(pool().scope());
                assert_eq!(scope.join(|_| 1, |_| 2), (1, 2));
                drop(scope);
                assert_eq!(pool().scope().join(|_| 1, |_| 2), (1, 2));
            });
        }
    }

    let handler = Handler;
    let builder = ThreadPoolBuilder::new().num_threads(2);
    let other = builder.panic_handler(move |_| _ = &handler).build();
    let other = other.expect("a pool");
    // The memory of the other pool, and the handler with it, goes with the thread's record.
    let guest = thread::spawn(move || {
        assert_eq!(other.scope().join(|_| 1, |_| 2), (1, 2));
        other.wait_until_stopped();
    });
    guest.join().expect("no panic");
}

#[test]
fn a_scope_that_outlives_its_record_offers_nothing_in_the_name_of_another_guest() {
    static STEP: AtomicU32 = AtomicU32::new(0);
    let until = |step| {
        while STEP.load(SeqCst) < step {
            thread::yield_now();
        }
    };
    let first = thread::spawn(move || {
        let mut scope = pool().scope();
        scope.join(|_| (), |_| ());
        Late::put(3, move || {
            STEP.store(1, SeqCst);
            until(2);
            for i in 0..20 {
                // The thread is asked for work.
                drop(pool().scope());
                scope.join(|_| thread::yield_now(), |_| ());
                if i == 3 {
                    STEP.store(3, SeqCst);
                }
            }
        });
    });
    while STEP.load(SeqCst) < 1 {
        thread::yield_now();
    }
    // This takes the seat that the first thread has given up.
    let mut scope = pool().scope();
    STEP.store(2, SeqCst);
    while STEP.load(SeqCst) < 3 {
        thread::yield_now();
    }
    for _ in 0..20 {
        drop(pool().scope());
        scope.join(|_| thread::yield_now(), |_| ());
    }
    first.join().expect("no panic");
}
