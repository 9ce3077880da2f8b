//! A process that forks while its pool has threads.

use std::{cell::Cell, thread, time::Duration};

use sumac::Scope;

use sumac_test_support::{
    Cx, LONG, Style, child, child_argument, enter, pool, run_well, sum, wait_until,
};

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
        // SAFETY: the child of a process with several threads may only use what survives a fork:
        // it joins, which is what is being tested, allocates, for which glibc's malloc is
        // prepared, and leaves by `_exit`.
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
        assert!(ended, "the forked child is still joining");
        assert_eq!(status.get(), 0, "wait status of the forked child");
        assert!(work(), "in the parent after the fork");
    }
}
