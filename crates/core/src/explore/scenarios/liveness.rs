//! Programs that end only if each waiting thread does what it must, and no thread starves.

use super::{
    Tally, any_pool, blocking::Meeting, end, explore, join, loiter, pool, random, refuse_threads,
    spawn, sum, tasks::wait, waited,
};
use crate::{
    Activity, ActivityState, Callers, PoolRef, Promise, ThreadPool, ThreadPoolBuilder, broadcast,
    driven,
    protocol::primitive::{AtomicBool, AtomicUsize, Mutex, Ordering, lock, yield_now as go_on},
    yield_now,
};
use std::sync::{Arc, Weak};

/// A half of a join broadcasts, in two tasks at the same time: each needs threads that wait for the
/// other.
fn broadcasts_from_halves() {
    let pool = any_pool(4);
    let tally = Tally::new(8);
    let tasks = [0, 4].map(|from| {
        let tally = tally.clone();
        pool.spawn(move || {
            let (called, _) = join(|| broadcast(|_| ()).len(), || sum(&tally, from, from + 4));
            assert!(called >= 3);
        })
    });
    for mut task in tasks {
        wait(&mut task);
    }
    tally.all();
    end(pool);
}

/// A task waits in yields for a task that broadcasts, while another thread waits for the first.
fn yields_that_broadcast() {
    let pool = any_pool(2);
    let tally = Tally::new(5);
    let inner = tally.clone();
    let half = move || {
        let called = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&called);
        drop(crate::spawn(move || {
            broadcast(|_| ());
            flag.store(true, Ordering::SeqCst);
        }));
        while !called.load(Ordering::SeqCst) {
            yield_now();
        }
        inner.run(4);
    };
    pool.install(|| join(|| sum(&tally, 0, 4), half));
    tally.all();
    end(pool);
}

/// Each thread of two pools calls the other pool.
fn all_threads_call_the_other_pool() {
    let threads = 1 + random(2) as usize;
    let pools = Arc::new([waited(threads), waited(threads)]);
    let tally = Tally::new(2 * threads);
    let call = |pools: &[ThreadPool; 2], tally: &Tally, nth: usize| {
        let (this, that) = (&pools[nth % 2], &pools[(nth + 1) % 2]);
        this.install(|| that.install(|| tally.run(nth)))
    };
    let callers: Vec<_> = (1..2 * threads)
        .map(|nth| {
            let (pools, tally) = (Arc::clone(&pools), tally.clone());
            spawn(move || call(&pools, &tally, nth))
        })
        .collect();
    call(&pools, &tally, 0);
    for caller in callers {
        caller.join();
    }
    tally.all();
}

/// An activity that is woken once, and whose step is due until it has been taken or abandoned.
pub(super) struct Step {
    state: ActivityState,
    due: AtomicBool,
    resolver: Mutex<Option<crate::Resolver<usize>>>,
}

impl Step {
    /// One that pends, and its promise.
    pub(super) fn pending(at: &PoolRef) -> (Arc<Self>, Promise<usize>) {
        let step = Arc::new(Step {
            state: ActivityState::default(),
            due: AtomicBool::new(false),
            resolver: Mutex::default(),
        });
        let (resolver, promise) = driven(at, Arc::clone(&step));
        *lock(&step.resolver) = Some(resolver);
        (step, promise)
    }

    pub(super) fn wake(self: &Arc<Self>, at: &PoolRef) {
        self.due.store(true, Ordering::SeqCst);
        at.queue(Arc::clone(self));
    }

    fn end(&self, end: impl FnOnce(crate::Resolver<usize>)) -> bool {
        let due = self.due.swap(false, Ordering::SeqCst);
        let resolver = lock(&self.resolver).take();
        if let Some(resolver) = resolver {
            end(resolver);
        }
        due
    }
}

impl Activity for Step {
    fn state(&self) -> &ActivityState {
        &self.state
    }

    fn advance(&self) -> bool {
        self.state
            .during(|| self.end(|resolver| resolver.resolve(7)))
    }

    fn cancel(&self) -> bool {
        false
    }

    fn abandon(&self) {
        self.end(drop);
    }

    fn is_due(&self) -> bool {
        self.due.load(Ordering::SeqCst)
    }
}

/// An activity of two steps. The second one calls the other pool, where a task in a yield calls
/// back.
struct CallsBack {
    this: Weak<CallsBack>,
    state: ActivityState,
    /// How many steps have begun, and whether the next one may.
    steps: AtomicUsize,
    due: AtomicBool,
    pools: Arc<[ThreadPool; 2]>,
    resolver: Mutex<Option<crate::Resolver<usize>>>,
}

impl CallsBack {
    fn queue(&self) {
        self.due.store(true, Ordering::SeqCst);
        let this = self.this.upgrade().expect("its promise is joined");
        PoolRef::of(&self.pools[0]).queue(this);
    }

    fn step(&self) {
        if self.steps.fetch_add(1, Ordering::SeqCst) == 0 {
            // Another thread may take the next step before this one has ended.
            self.queue();
            return loiter();
        }
        self.pools[1].install(|| {
            let (pools, done) = (Arc::clone(&self.pools), Arc::new(AtomicBool::new(false)));
            let flag = Arc::clone(&done);
            drop(crate::spawn(move || {
                pools[0].install(|| ());
                flag.store(true, Ordering::SeqCst);
            }));
            while !done.load(Ordering::SeqCst) {
                yield_now();
            }
        });
        let resolver = lock(&self.resolver).take();
        resolver.expect("this is the last step").resolve(7);
    }
}

impl Activity for CallsBack {
    fn state(&self) -> &ActivityState {
        &self.state
    }

    fn advance(&self) -> bool {
        let due = self.due.swap(false, Ordering::SeqCst);
        if due {
            self.state.during(|| self.step());
        }
        due
    }

    fn cancel(&self) -> bool {
        false
    }

    fn abandon(&self) {}

    fn is_due(&self) -> bool {
        self.due.load(Ordering::SeqCst)
    }
}

/// A thread joins an activity whose step another thread runs, and that waits for the first.
fn a_step_that_calls_back() {
    let pools = Arc::new([waited(2), waited(1)]);
    let activity = Arc::new_cyclic(|this| CallsBack {
        this: Weak::clone(this),
        state: ActivityState::default(),
        steps: AtomicUsize::new(0),
        due: AtomicBool::new(false),
        pools: Arc::clone(&pools),
        resolver: Mutex::default(),
    });
    let (resolver, promise) = driven(&PoolRef::of(&pools[0]), Arc::clone(&activity));
    *lock(&activity.resolver) = Some(resolver);
    let joined = pools[0].install(|| {
        activity.queue();
        while random(2) == 0 && activity.steps.load(Ordering::SeqCst) < 2 {
            go_on();
        }
        promise.join()
    });
    assert_eq!(joined, 7);
}

/// A pool ends while an activity pends, which is woken under a lock that its end takes, too.
fn an_activity_of_a_pool_that_ends() {
    let pool = any_pool(2);
    let at = PoolRef::of(&pool);
    let (step, promise) = Step::pending(&at);
    let wakes = {
        let step = Arc::clone(&step);
        spawn(move || {
            loiter();
            let _held = lock(&step.resolver);
            step.wake(&at);
        })
    };
    end(pool);
    let outcome = if random(2) == 0 {
        promise.try_join()
    } else {
        while !promise.is_finished() {
            go_on();
        }
        promise.try_join()
    };
    assert!(outcome.is_ok_and(|value| value == 7) || !step.is_due());
    wakes.join();
}

/// Tasks that no thread joins, while the system refuses some of the pool's threads, or all.
fn tasks_of_refused_threads() {
    refuse_threads();
    let pool = any_pool(1 + random(3) as usize);
    let tally = Tally::new(3);
    for nth in 0..3 {
        let tally = tally.clone();
        if nth == 1 {
            loiter();
        }
        drop(pool.spawn(move || tally.run(nth)));
    }
    while tally.count() < 3 {
        go_on();
    }
    end(pool);
}

/// A scope whose tasks spawn tasks until another task of the pool has run.
fn a_scope_beside_a_task() {
    fn chain<'s>(scope: &crate::TaskScope<'s>, told: &'s AtomicBool) {
        go_on();
        if !told.load(Ordering::SeqCst) {
            scope.spawn(move |scope| chain(scope, told));
        }
    }
    let pool = Arc::new(any_pool(2));
    let told = Arc::new(AtomicBool::new(false));
    let scope = {
        let (pool, told) = (Arc::clone(&pool), Arc::clone(&told));
        spawn(move || pool.task_scope(|scope| chain(scope, &told)))
    };
    loiter();
    drop(pool.spawn(move || told.store(true, Ordering::SeqCst)));
    scope.join();
}

/// A task that spawns tasks, one after another, until one that was spawned before them has run.
fn newer_tasks_beside_an_old_one() {
    fn again(told: Arc<AtomicBool>) {
        go_on();
        if !told.load(Ordering::SeqCst) {
            drop(crate::spawn(move || again(told)));
        }
    }
    let pool = any_pool(1);
    let told = Arc::new(AtomicBool::new(false));
    let (old, newer) = (Arc::clone(&told), Arc::clone(&told));
    drop(pool.spawn(move || {
        drop(crate::spawn(move || old.store(true, Ordering::SeqCst)));
        again(newer);
        if random(2) == 0 {
            while !told.load(Ordering::SeqCst) {
                yield_now();
            }
        }
    }));
    pool.wait_until_stopped();
}

/// A call of a broadcast waits for a task, which only the third thread can run: the leader, which
/// broadcasts, waits for the call.
fn a_call_that_waits_for_a_task() {
    let pool = Arc::new(waited(3));
    for _ in 0..random(4) {
        // After short calls the leader keeps the lead in the next.
        pool.install(|| ());
    }
    let told = Arc::new(AtomicBool::new(false));
    let (here, flag, chosen) = (Arc::clone(&pool), Arc::clone(&told), random(3) as usize);
    let caller = spawn(move || {
        here.install(|| {
            broadcast(|thread| {
                while thread.index() == chosen && !flag.load(Ordering::SeqCst) {
                    go_on();
                }
            })
        })
    });
    loiter();
    drop(pool.spawn(move || told.store(true, Ordering::SeqCst)));
    caller.join();
}

/// The worker is blocked until a queued task has run. Meanwhile the caller, which never runs it,
/// goes on: in joins at its base, or from one call to the next, or in joins of one call.
fn a_task_beside_a_busy_caller() {
    let pool = pool(2);
    let told = Arc::new(AtomicBool::new(false));
    let (blocked, way) = (Arc::clone(&told), random(3));
    drop(pool.spawn(move || {
        while !blocked.load(Ordering::SeqCst) {
            go_on();
        }
    }));
    let tells = Arc::clone(&told);
    drop(pool.spawn(move || tells.store(true, Ordering::SeqCst)));
    let mut scope = pool.scope();
    while !told.load(Ordering::SeqCst) {
        match way {
            0 => scope.join(|_| (), |_| ()),
            1 => pool.install(|| ((), ())),
            _ => pool.install(|| {
                while !told.load(Ordering::SeqCst) {
                    join(|| (), || ());
                }
                ((), ())
            }),
        };
    }
    drop(scope);
    end(pool);
}

/// A task whose pool is dropped meanwhile: its parts wait for each other.
fn a_task_of_a_dropped_pool() {
    let builder = ThreadPoolBuilder::new().newest_first(random(2) == 0);
    let builder = match random(2) {
        0 => builder,
        _ => builder.start_when_needed(),
    };
    let (callers, threads) = [(Callers::TakePart, 3), (Callers::Wait, 2)][random(2) as usize];
    let builder = builder.callers(callers).num_threads(threads);
    let pool = builder.build().expect("a pool");
    let (tally, meeting, way) = (Tally::new(2), Meeting::of(2), random(3));
    let mine = tally.clone();
    let meet = move |nth| {
        meeting.meet();
        mine.run(nth);
    };
    let mut task = pool.spawn(move || {
        loiter();
        match way {
            0 => crate::scope(|scope| {
                let meet = &meet;
                (0..2).for_each(|nth| scope.spawn(move |_| meet(nth)));
            }),
            1 => assert_eq!(broadcast(|context| meet(context.index())).len(), 2),
            _ => {
                let other = meet.clone();
                let other = crate::spawn(move || other(1));
                meet(0);
                wait(&mut { other });
            }
        }
    });
    let drops = spawn(move || end(pool));
    wait(&mut task);
    drops.join();
    tally.all();
}

#[test]
fn broadcasts_do_not_wait_for_each_other() {
    explore(broadcasts_from_halves);
}

#[test]
fn a_dropped_pool_has_its_threads() {
    explore(a_task_of_a_dropped_pool);
}

#[test]
fn what_a_yield_runs_may_broadcast() {
    explore(yields_that_broadcast);
}

#[test]
fn all_threads_of_two_pools_may_wait() {
    explore(all_threads_call_the_other_pool);
}

#[test]
fn a_thread_serves_the_step_of_an_activity_that_it_joins() {
    explore(a_step_that_calls_back);
}

#[test]
fn pools_end_while_activities_pend() {
    explore(an_activity_of_a_pool_that_ends);
}

#[test]
fn tasks_are_not_lost_without_threads() {
    explore(tasks_of_refused_threads);
}

#[test]
fn tasks_have_their_turn_beside_a_scope() {
    explore(a_scope_beside_a_task);
}

#[test]
fn old_tasks_have_their_turn_beside_newer_ones() {
    explore(newer_tasks_beside_an_old_one);
}

#[test]
fn a_task_is_run_beside_a_busy_caller() {
    explore(a_task_beside_a_busy_caller);
}

#[test]
fn a_call_may_wait_for_a_task() {
    explore(a_call_that_waits_for_a_task);
}
