//! A process that forks while its pool has threads.

use std::{cell::Cell, fs, sync::mpsc, thread, time::Duration};

use sumac::{Callers, Scope, ThreadPoolBuilder};

use sumac_test_support::{
    Cx, LONG, Style, child, child_argument, enter, pool, run_well, sum, wait_until,
};

/// Asserts that `work` succeeds in a child of fork(2).
pub(crate) fn assert_in_child(work: impl FnOnce() -> bool) {
    // SAFETY: the child of a process with several threads may only use what survives a fork: it
    // joins, which is what is being tested, allocates, for which glibc's malloc is prepared, and
    // leaves by `_exit`.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "fork: {}", std::io::Error::last_os_error());
    if pid == 0 {
        let status = if work() { 0 } else { 1 };
        // SAFETY: always safe to call; nothing of the parent is torn down on the way.
        unsafe { libc::_exit(status) };
    }
    let status = Cell::new(-1);
    let ended = wait_until(LONG / 4, || {
        let mut now = -1;
        // SAFETY: `pid` is our child, not yet waited for, and `now` is a place for its status.
        let reaped = unsafe { libc::waitpid(pid, &mut now, libc::WNOHANG) };
        status.set(now);
        reaped == pid
    });
    if !ended {
        // SAFETY: `pid` is our child and has not been waited for.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
    assert!(ended, "the forked child still runs");
    assert_eq!(status.get(), 0, "wait status of the forked child");
}

// rayon #708: the child has the pool but none of its threads, and waits for ever.
#[test]
fn child_of_fork_finishes_its_joins() {
    const NAME: &str = "fork::child_of_fork_finishes_its_joins";
    if child_argument(NAME).is_none() {
        run_well(child(NAME, ""), LONG);
        return;
    }
    let four = pool(4);
    let work = || {
        Style::ALL.map(|style| enter(style, &four, |cx| sum(cx, 0, 5_000)))
            == [5_000 * 4_999 / 2; 2]
            && sum(&mut Cx::Join, 0, 100) == 4_950
            && sum(&mut Cx::Scope(&mut Scope::global()), 0, 100) == 4_950
    };
    assert!(work(), "before the fork");
    for pause in [0, 1, 30] {
        thread::sleep(Duration::from_millis(pause));
        assert_in_child(work);
        assert!(work(), "in the parent after the fork");
    }
}

#[test]
fn child_of_fork_starts_no_threads_beside_those_of_its_parent() {
    const NAME: &str = "fork::child_of_fork_starts_no_threads_beside_those_of_its_parent";
    if child_argument(NAME).is_none() {
        run_well(child(NAME, ""), LONG);
        return;
    }
    let builder = || ThreadPoolBuilder::new().num_threads(8).start_when_needed();
    let untouched = builder().build().expect("a pool");
    let begun = builder().callers(Callers::Wait).build().expect("a pool");
    assert_eq!(begun.install(|| 1), 1);
    let one = ThreadPoolBuilder::new().num_threads(1);
    let one = one.build().expect("a pool without workers");
    let threads = || fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
    assert_in_child(|| {
        let alone = threads();
        begun.spawn_broadcast(|_| ());
        let still = threads() == alone;
        // A pool that had no threads may have some here.
        let here = thread::current().id();
        let elsewhere = || thread::current().id() != here;
        let pause = || thread::sleep(Duration::from_micros(50));
        while !untouched.join(pause, elsewhere).1 {}
        let (run, runs) = mpsc::channel();
        drop(one.spawn(move || run.send(thread::current().id())));
        still && runs.try_recv() == Ok(here)
    });
}

/// It would not give them back at its end.
#[cfg(feature = "jobserver")]
#[test]
fn child_of_fork_takes_no_tokens() {
    use jobserver::Client;
    use sumac::{Jobserver, Permits};

    const NAME: &str = "fork::child_of_fork_takes_no_tokens";
    if child_argument(NAME).is_none() {
        let client = Client::new(2).expect("a jobserver");
        let mut command = child(NAME, "");
        client.configure(&mut command);
        run_well(command, LONG);
        assert_eq!(client.available().expect("a number"), 2);
        return;
    }
    let ours = Jobserver::from_env().expect("a jobserver");
    // SAFETY: the environment names descriptors that our parent has made for us.
    let client = unsafe { Client::from_env() }.expect("the same");
    assert_in_child(|| !ours.try_take() && !Jobserver::new(client.clone()).try_take());
    assert!(ours.try_take() && Jobserver::new(client).try_take());
}
