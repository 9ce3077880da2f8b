//! Threads and calls that the system refuses: pools do with what they get, and say so.

use super::{BEGUN, assert_ends, exercise, run_there, skipped, threads_here, through};
use nix::unistd::Uid;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};
use std::{
    collections::BTreeMap,
    env::consts::ARCH,
    process::{self, Command},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    thread,
};
use sumac::{Callers, ThreadPoolBuilder, prelude::*};
use sumac_test_support::{LONG, alone, child, child_argument, on_a_worker, wait_until};

/// The pools that are asked for eight threads.
const POOLS: [&str; 5] = ["built", "waits", "when-needed", "named", "global"];

/// What is asked of a pool of eight where the system grants `granted` threads beside the first.
fn assert_works_with(granted: usize, pool: &str) {
    let before = threads_here().len();
    if pool == "global" {
        assert_eq!(sumac::join(|| 1, || 2), (1, 2));
        let squares = (0..1_000_u64).into_par_iter().map(|i| i * i).sum::<u64>();
        assert_eq!(squares, 332_833_500);
        assert_eq!(sumac::spawn(|| 3).join(), 3);
        let called = sumac::broadcast(|call| call.index());
        assert!(called.into_iter().eq(0..1 + granted));
        assert_eq!(sumac::current_num_threads(), 1 + granted);
        return;
    }
    let builder = ThreadPoolBuilder::new().num_threads(8);
    let builder = match pool {
        "waits" => builder.callers(Callers::Wait),
        "when-needed" => builder.start_when_needed(),
        "named" => builder.thread_name(|index| format!("named-{index}")),
        _ => builder,
    };
    let eight = builder.build().expect("a pool of those it gets");
    exercise(&eight);
    let error = eight.spawn_error().expect("a note of the refusal");
    assert!(error.raw_os_error().is_some(), "{error}");
    let callers = usize::from(granted == 0 || !matches!(pool, "waits" | "named"));
    assert_eq!(eight.current_num_threads(), granted + callers);
    if eight.current_num_threads() > 1 {
        on_a_worker(&eight, || ());
    }
    // Tasks for which nothing waits: where there is no thread at all, the spawning one runs them.
    let ran = Arc::new(AtomicUsize::new(0));
    for _ in 0..10 {
        let ran = Arc::clone(&ran);
        drop(eight.spawn(move || ran.fetch_add(1, SeqCst)));
    }
    assert_ends(eight, before);
    assert_eq!(ran.load(SeqCst), 10);
    assert_eq!(Arc::strong_count(&ran), 1, "a task is kept for good");
}

/// The command as a user who may have so many threads and processes: root may have any number.
fn with_threads(most: usize, command: &Command) -> Command {
    let limit = format!("--nproc={most}");
    if Uid::effective().is_root() {
        // A number that is not used.
        let user = (1_000_000 + process::id()).to_string();
        let change = [
            "--reuid",
            &user,
            "--regid",
            &user,
            "--clear-groups",
            "prlimit",
            &limit,
        ];
        through("setpriv", &change, command)
    } else {
        // A namespace counts its own.
        through("unshare", &["--user", "prlimit", &limit], command)
    }
}

#[test]
fn pools_work_with_the_threads_that_a_limit_allows() {
    let _alone = alone();
    const NAME: &str = "refusals::pools_work_with_the_threads_that_a_limit_allows";
    if let Some(argument) = child_argument(NAME) {
        println!("{BEGUN}");
        let (most, pool) = argument.split_once(' ').expect("two words");
        let most: usize = most.parse().expect("a number");
        return assert_works_with(most - threads_here().len(), pool);
    }
    // The test harness has one thread or two, as it can.
    for most in [1, 3, 5] {
        for pool in POOLS {
            let what = format!("a limit of {most} threads, {pool}");
            let mut command = child(NAME, &format!("{most} {pool}"));
            command.env("SUMAC_NUM_THREADS", "8");
            run_there(&what, with_threads(most, &command));
        }
    }
}

/// From now on these calls of this thread, and of those that it starts, fail with `error`.
pub(super) fn refuse(calls: &[i64], error: i32) -> Result<(), String> {
    let arch = TargetArch::try_from(ARCH).map_err(|error| error.to_string())?;
    let rules: BTreeMap<_, _> = calls.iter().map(|&call| (call, Vec::new())).collect();
    let refusal = SeccompAction::Errno(error as u32);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refusal, arch);
    let program: BpfProgram = filter
        .and_then(BpfProgram::try_from)
        .map_err(|error| error.to_string())?;
    seccompiler::apply_filter(&program).map_err(|error| error.to_string())
}

/// Runs `test` in a child without these calls.
pub(super) fn without_calls(
    name: &'static str,
    argument: &str,
    calls: &[i64],
    error: i32,
    test: impl Fn(),
) {
    match child_argument(name) {
        None => {
            let mut command = child(name, argument);
            command.env("SUMAC_NUM_THREADS", "8");
            run_there(&format!("{name} {argument}"), command);
        }
        Some(mine) if mine == argument => match refuse(calls, error) {
            Err(why) => skipped(name, &why),
            Ok(()) => {
                println!("{BEGUN}");
                test();
            }
        },
        Some(_) => {}
    }
}

#[test]
fn pools_work_where_no_thread_can_be_started() {
    let _alone = alone();
    const NAME: &str = "refusals::pools_work_where_no_thread_can_be_started";
    let calls = [libc::SYS_clone, libc::SYS_clone3];
    for pool in POOLS {
        without_calls(NAME, pool, &calls, libc::EAGAIN, || {
            assert!(thread::Builder::new().spawn(|| ()).is_err());
            assert_works_with(0, pool);
        });
    }
}

// A pool of one thread has no other to run a task for which nothing waits but the spawning one.
#[test]
fn a_thread_for_tasks_that_was_refused_is_asked_for_again() {
    let _alone = alone();
    const NAME: &str = "refusals::a_thread_for_tasks_that_was_refused_is_asked_for_again";
    if child_argument(NAME).is_none() {
        run_there(NAME, child(NAME, ""));
        return;
    }
    let one = ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a pool");
    let ran = Arc::new(AtomicUsize::new(0));
    let spawn = &|| {
        let ran = Arc::clone(&ran);
        drop(one.spawn(move || ran.fetch_add(1, SeqCst)));
    };
    // What a thread may call is its own.
    let refused = thread::scope(|scope| {
        let calls = [libc::SYS_clone, libc::SYS_clone3];
        let thread = scope.spawn(move || {
            refuse(&calls, libc::EAGAIN)?;
            spawn();
            Ok::<_, String>(thread::Builder::new().spawn(|| ()).is_err())
        });
        thread.join().expect("no panic")
    });
    match refused {
        Err(why) => skipped(NAME, &why),
        Ok(refused) => {
            println!("{BEGUN}");
            assert!(refused);
            assert_eq!(ran.load(SeqCst), 1, "the spawning thread runs it");
            spawn();
            assert!(wait_until(LONG / 4, || ran.load(SeqCst) == 2));
        }
    }
}

#[test]
fn pools_work_where_threads_may_not_choose_their_processors() {
    let _alone = alone();
    const NAME: &str = "refusals::pools_work_where_threads_may_not_choose_their_processors";
    let set = libc::SYS_sched_setaffinity;
    let all = [
        set,
        libc::SYS_sched_getaffinity,
        libc::SYS_getcpu,
        libc::SYS_prctl,
    ];
    for (what, calls, error) in [
        ("set EPERM", &[set][..], libc::EPERM),
        ("set ENOSYS", &[set], libc::ENOSYS),
        ("all EPERM", &all, libc::EPERM),
        ("all ENOSYS", &all, libc::ENOSYS),
    ] {
        without_calls(NAME, what, calls, error, || {
            let before = threads_here().len();
            let four = ThreadPoolBuilder::new()
                .num_threads(4)
                .build()
                .expect("a pool");
            for _ in 0..20 {
                exercise(&four);
                on_a_worker(&four, || ());
                thread::sleep(std::time::Duration::from_millis(3));
            }
            assert!(four.spawn_error().is_none());
            assert_ends(four, before);
        });
    }
}
