//! Which processors workers may use is for their users to say: pools leave no trace in it, and undo
//! nothing.
#![cfg(all(target_os = "linux", not(miri)))]

use std::{
    fs,
    hint::spin_loop,
    io, mem,
    path::{Path, PathBuf},
    ptr,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::Duration,
};

use sumac::ThreadPool;
use sumac_test_support::{
    LONG, Style, alone, enter, rounds, spin, sum, wait_until, watched_pool, within,
};

/// Which processors a thread may use.
fn allowed(thread: &Path) -> String {
    let status = fs::read_to_string(thread.join("status")).expect("the status of a living thread");
    let list = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    list.expect("a list of processors").trim().to_owned()
}

/// Restricts a thread to its first processor, as `taskset` does.
fn restrict(thread: &Path) {
    let id = thread.file_name().expect("its number").to_string_lossy();
    let first = allowed(thread);
    let first = first.split(['-', ',']).next().expect("a number");
    // SAFETY: plain numbers, of which all zero is the empty set.
    let mut set: libc::cpu_set_t = unsafe { mem::zeroed() };
    // SAFETY: the set is ours.
    unsafe { libc::CPU_SET(first.parse().expect("a number"), &mut set) };
    let id = id.parse().expect("a number");
    // SAFETY: the set has the size that we say.
    let result = unsafe { libc::sched_setaffinity(id, size_of_val(&set), ptr::from_ref(&set)) };
    assert_eq!(result, 0, "{}", io::Error::last_os_error());
}

/// A call that a worker is woken for and takes part in.
fn call(pool: &ThreadPool, style: Style) {
    enter(style, pool, |cx| {
        cx.join(
            |cx| {
                spin(Duration::from_micros(300));
                sum(cx, 0, 100)
            },
            |cx| {
                spin(Duration::from_micros(300));
                sum(cx, 0, 100)
            },
        )
    });
}

#[test]
fn idle_workers_may_use_what_they_could_before() {
    let _alone = alone();
    within(LONG, "idle workers", || {
        let (pool, workers) = watched_pool(3);
        let me = PathBuf::from("/proc/thread-self");
        let before = allowed(&me);
        for round in rounds(100) {
            call(&pool, Style::ALL[round % 2]);
            // Some are dormant after a few of these, and all are after others.
            thread::sleep(Duration::from_millis([0, 1, 2, 30][round % 4]));
            if round % 4 == 3 {
                for worker in &workers {
                    // One that is only late may be moving.
                    let is_free = || allowed(worker) == before;
                    assert!(wait_until(Duration::from_millis(500), is_free), "{round}");
                }
            }
        }
        assert!(pool.stats().steals > 0, "no worker took part");
        assert_eq!(allowed(&me), before);
    });
}

/// Has a thread run only when no other wants to.
fn make_idle(thread: &Path) {
    let id = thread.file_name().expect("its number").to_string_lossy();
    // SAFETY: plain numbers, of which all zero is the lowest priority.
    let none: libc::sched_param = unsafe { mem::zeroed() };
    let id = id.parse().expect("a number");
    // SAFETY: it reads the parameter, which is ours.
    let result = unsafe { libc::sched_setscheduler(id, libc::SCHED_IDLE, ptr::from_ref(&none)) };
    assert_eq!(result, 0, "{}", io::Error::last_os_error());
}

/// How often a thread has been given a processor.
fn time_slices(thread: &Path) -> String {
    let schedstat = fs::read_to_string(thread.join("schedstat"));
    let schedstat = schedstat.expect("the times of a living thread");
    schedstat
        .trim()
        .rsplit(' ')
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn sleeps(thread: &Path) -> bool {
    let status = fs::read_to_string(thread.join("status")).expect("the status of a living thread");
    status.lines().any(|line| line.starts_with("State:\tS"))
}

#[test]
fn workers_that_are_woken_and_do_not_get_to_run_may_use_all_processors() {
    let _alone = alone();
    let processors = thread::available_parallelism().map_or(1, |n| n.get());
    within(LONG, "late workers", move || {
        let (pool, workers) = watched_pool(2);
        let before = allowed(&workers[0]);
        make_idle(&workers[0]);
        let mut woken = 0;
        for round in rounds(40) {
            thread::sleep(Duration::from_millis(30));
            let wakes = pool.stats().wakes;
            let end = AtomicBool::new(false);
            thread::scope(|threads| {
                for _ in 0..2 * processors {
                    threads.spawn(|| {
                        while !end.load(Relaxed) {
                            spin_loop()
                        }
                    });
                }
                let ran = time_slices(&workers[0]);
                let slept = sleeps(&workers[0]);
                call(&pool, Style::ALL[round % 2]);
                let now = allowed(&workers[0]);
                end.store(true, Relaxed);
                // One that has run may be moving by itself.
                if slept && time_slices(&workers[0]) == ran {
                    assert_eq!(now, before, "{round}");
                }
            });
            woken += pool.stats().wakes - wakes;
        }
        assert!(woken > 0, "the worker was never woken");
    });
}

#[test]
fn what_others_allow_a_worker_is_not_undone() {
    let _alone = alone();
    if thread::available_parallelism().is_ok_and(|n| n.get() < 2) {
        return;
    }
    within(LONG, "a restricted worker", || {
        let me = PathBuf::from("/proc/thread-self");
        for asleep in [true, false] {
            let (pool, workers) = watched_pool(3);
            for round in 0..8 {
                call(&pool, Style::ALL[round % 2]);
            }
            thread::sleep(Duration::from_millis(if asleep { 50 } else { 0 }));
            let chosen: Vec<_> = workers
                .iter()
                .map(|worker| {
                    // One that is moving chooses for itself: from then on it has been told. What it
                    // is told in a move must not be the set of that.
                    let told = wait_until(LONG / 4, || {
                        if wait_until(LONG / 8, || allowed(worker) == allowed(&me)) {
                            restrict(worker);
                        }
                        thread::sleep(Duration::from_millis(5));
                        !allowed(worker).contains(['-', ','])
                    });
                    assert!(told);
                    allowed(worker)
                })
                .collect();
            for round in rounds(40) {
                call(&pool, Style::ALL[round % 2]);
                thread::sleep(Duration::from_millis([0, 1, 20][round % 3]));
                let now: Vec<_> = workers.iter().map(|worker| allowed(worker)).collect();
                assert_eq!(now, chosen, "{round}");
            }
        }
    });
}
