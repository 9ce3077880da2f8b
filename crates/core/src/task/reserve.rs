//! The reserve: the thread that runs tasks, one at a time, in a pool that has no worker.
//!
//! The first task starts it. It is a guest of its pool and, since nobody else is idle there, its leader: it goes dormant and
//! is woken like one (dormancy.rs). If the system refuses it, tasks run when they are waited for.

use super::find;
use crate::{
    member::Member,
    primitive::lock,
    shared::{Life, Shared},
    thread,
    times::Phase,
};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{Builder, JoinHandle},
    time::Duration,
};

#[derive(Default)]
pub(crate) struct Reserve {
    started: AtomicBool,
    /// 0 for the default.
    stack_size: AtomicUsize,
    handle: Mutex<Option<JoinHandle<()>>>,
}

impl Reserve {
    pub(crate) fn set_stack_size(&self, size: Option<usize>) {
        self.stack_size.store(size.unwrap_or(0), Ordering::Relaxed);
    }

    /// Starts the thread if that has not been tried.
    pub(crate) fn start(&self, pool: &Shared) {
        if self.started.load(Ordering::Relaxed) || self.started.swap(true, Ordering::Relaxed) {
            return;
        }
        let Some(pool) = pool.this.upgrade() else {
            return;
        };
        let mut builder = Builder::new().name("sumac-reserve".into());
        let size = self.stack_size.load(Ordering::Relaxed);
        if size > 0 {
            builder = builder.stack_size(size);
        }
        // Under the lock, so that `end` finds the handle of a thread that has been started.
        let mut handle = lock(&self.handle);
        let life = Life::new(&pool);
        *handle = builder.spawn(move || live(life.pool())).ok();
    }

    /// The thread, to be joined. It is not started any more.
    pub(crate) fn end(&self) -> Option<JoinHandle<()>> {
        self.started.store(true, Ordering::Relaxed);
        lock(&self.handle).take()
    }
}

fn live(pool: &Arc<Shared>) {
    crate::os::precise_timers();
    thread::with(|thread| {
        let me = thread.member_of(pool);
        thread.inside(me, || {
            // SAFETY: members live as long as their pool.
            let me = unsafe { &*me };
            loop {
                if let Some(task) = find::oldest(me) {
                    me.times.enter(Phase::Working, pool.now());
                    task.run(thread, me);
                    me.times.enter(Phase::Searching, pool.now());
                } else if pool.is_terminating() {
                    me.times.enter(Phase::Away, pool.now());
                    return;
                } else {
                    wait_for_tasks(pool, me);
                }
            }
        });
    });
}

/// Naps for a while, then sleeps without a clock until somebody queues a task.
fn wait_for_tasks(pool: &Shared, me: &Member) {
    let has_news = || pool.anything_queued() || pool.is_terminating();
    let since = pool.now();
    while pool.now().saturating_sub(since) < pool.policy.dormant_after {
        if has_news() {
            return;
        }
        park(pool, me, Some(Duration::from_nanos(pool.policy.nap)));
    }
    pool.set_leader(me);
    if pool.dormancy.enter(|| (), has_news) {
        while pool.dormancy.is_dormant() && !pool.is_terminating() {
            park(pool, me, None);
        }
    }
}

fn park(pool: &Shared, me: &Member, nap: Option<Duration>) {
    me.counters.parks.add_one();
    me.times.enter(Phase::Parked, pool.now());
    me.parker.park(nap);
    me.times.enter(Phase::Searching, pool.now());
}
