//! Pools from the builder: every option, the handlers, the environment, and the counters.
//! What pools take from the machine is in `resources.rs`.

use std::{
    collections::BTreeSet,
    io,
    num::NonZero,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

use sumac::{ThreadPool, ThreadPoolBuilder};
use sumac_test_support::{
    LONG, Style, alone, assert_usable, caught, child, child_argument, eat, enter, on_a_worker,
    pool, run_well, text, throw, wait_until, within,
};

type Indices = Arc<Mutex<Vec<usize>>>;

fn note(indices: &Indices) -> impl Fn(usize) + Send + Sync + 'static {
    let indices = Arc::clone(indices);
    move |index| indices.lock().expect("no poison").push(index)
}

/// So many calls, each with an index of its own.
fn assert_each_once(indices: &Indices, calls: usize) {
    let indices = indices.lock().expect("no poison").clone();
    let distinct: BTreeSet<_> = indices.iter().copied().collect();
    assert_eq!(indices.len(), calls, "calls: {indices:?}");
    assert_eq!(distinct.len(), calls, "each index once: {indices:?}");
    assert!(distinct.iter().all(|&index| index <= calls), "{indices:?}");
}

#[test]
fn names_indices_and_handlers_agree() {
    let _alone = alone();
    within(LONG, "handlers", || {
        let (started, exited) = (Indices::default(), Indices::default());
        let four = ThreadPoolBuilder::new()
            .num_threads(4)
            .thread_name(|index| format!("worker-{index}"))
            .start_handler(note(&started))
            .exit_handler(note(&exited))
            .build()
            .expect("a pool of four");
        assert!(four.spawn_error().is_none());
        assert_eq!(four.current_num_threads(), 4);
        wait_until(LONG / 2, || started.lock().expect("no poison").len() >= 4);
        assert_each_once(&started, 4);
        for _ in 0..20 {
            let (name, index, by_pool) = on_a_worker(&four, || {
                let name = thread::current().name().map(str::to_owned);
                (
                    name,
                    sumac::current_thread_index(),
                    four.current_thread_index(),
                )
            });
            let index = index.expect("a worker has an index");
            assert_eq!(name, Some(format!("worker-{index}")));
            assert_eq!(by_pool, Some(index));
            assert!(started.lock().expect("no poison").contains(&index));
        }
        assert!(
            exited.lock().expect("no poison").is_empty(),
            "no thread left yet"
        );
        four.wait_until_stopped();
        assert_each_once(&exited, 4);
        assert_each_once(&started, 4);
    });
}

#[test]
fn stack_size_is_that_of_the_workers() {
    let _alone = alone();
    within(LONG, "stack size", || {
        let two = ThreadPoolBuilder::new()
            .num_threads(2)
            .stack_size(64 << 20)
            .build()
            .expect("a pool with big stacks");
        // More than the two megabytes of a default stack.
        assert_eq!(on_a_worker(&two, || eat(8_000)), 8_000);
    });
}

#[test]
fn a_panic_that_its_caller_sees_is_not_handled_elsewhere() {
    let _alone = alone();
    within(LONG, "panic handler", || {
        let handled = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&handled);
        let two = ThreadPoolBuilder::new()
            .num_threads(2)
            .panic_handler(move |_| {
                count.fetch_add(1, SeqCst);
            })
            .build()
            .expect("a pool of two");
        let payload = caught(|| on_a_worker(&two, || throw("on a worker")));
        assert_eq!(text(&*payload), "on a worker");
        two.wait_until_stopped();
        assert_eq!(handled.load(SeqCst), 0);
    });
}

#[test]
fn threads_from_a_spawn_handler() {
    let _alone = alone();
    within(LONG, "spawn handler", || {
        let (spawned, ended) = (Indices::default(), Arc::new(AtomicUsize::new(0)));
        let (noted, count) = (note(&spawned), Arc::clone(&ended));
        let three = ThreadPoolBuilder::new()
            .num_threads(3)
            .thread_name(|index| format!("own-{index}"))
            .stack_size(1 << 20)
            .spawn_handler(move |thread| {
                assert_eq!(thread.name(), Some(&*format!("own-{}", thread.index())));
                assert_eq!(thread.stack_size(), Some(1 << 20));
                noted(thread.index());
                let count = Arc::clone(&count);
                thread::Builder::new().name("mine".into()).spawn(move || {
                    thread.run();
                    count.fetch_add(1, SeqCst);
                })?;
                Ok(())
            })
            .build()
            .expect("a pool on threads of ours");
        assert_each_once(&spawned, 3);
        let name = on_a_worker(&three, || thread::current().name().map(str::to_owned));
        assert_eq!(name.as_deref(), Some("mine"));
        assert_usable(&three);
        drop(three);
        assert!(
            wait_until(LONG / 2, || ended.load(SeqCst) == 3),
            "`run` returns after the drop"
        );
    });
}

#[test]
fn spawn_handler_that_refuses_is_reported() {
    let _alone = alone();
    within(LONG, "spawn handler refuses", || {
        let mut spawned = 0;
        let result = ThreadPoolBuilder::new()
            .num_threads(4)
            .spawn_handler(|thread| {
                spawned += 1;
                if spawned > 1 {
                    return Err(io::Error::other("no more threads today"));
                }
                thread::spawn(|| thread.run());
                Ok(())
            })
            .build();
        match result {
            Ok(pool) => {
                let error = pool.spawn_error().expect("the refusal").to_string();
                assert!(error.contains("no more threads today"), "{error}");
                assert_usable(&pool);
            }
            Err(error) => assert!(
                error.to_string().contains("no more threads today"),
                "{error}"
            ),
        }
    });
}

#[test]
fn current_thread_may_be_used() {
    let _alone = alone();
    within(LONG, "current thread", || {
        let started = Indices::default();
        let three = ThreadPoolBuilder::new()
            .num_threads(3)
            .use_current_thread()
            .start_handler(note(&started))
            .build()
            .expect("a pool with this thread in it");
        assert_eq!(three.current_num_threads(), 3);
        assert_usable(&three);
        wait_until(LONG / 2, || started.lock().expect("no poison").len() >= 2);
        assert_each_once(&started, 2);
    });
}

#[test]
fn one_thread_is_the_caller_alone() {
    let _alone = alone();
    let one = pool(1);
    assert_usable(&one);
    let here = thread::current().id();
    let who = one.join(|| thread::current().id(), || thread::current().id());
    assert_eq!(who, (here, here));
    assert_eq!(one.current_num_threads(), 1);
}

#[test]
fn number_of_threads_from_the_environment() {
    let _alone = alone();
    const NAME: &str = "pools::number_of_threads_from_the_environment";
    if child_argument(NAME).is_some() {
        let built = ThreadPoolBuilder::new()
            .num_threads(0)
            .build()
            .expect("a default pool");
        let explicit = ThreadPoolBuilder::new()
            .num_threads(3)
            .build()
            .expect("a pool of three");
        println!(
            "threads: {} {} {} {} .",
            sumac::current_num_threads(),
            ThreadPool::new().current_num_threads(),
            built.current_num_threads(),
            explicit.current_num_threads()
        );
        assert_usable(ThreadPool::global());
        return;
    }
    let default = thread::available_parallelism().map_or(1, NonZero::get);
    let cases = [
        (None, default),
        (Some("5"), 5),
        (Some("1"), 1),
        (Some("0"), default),
        (Some(""), default),
        (Some("many"), default),
        (Some("-2"), default),
        (Some("2.5"), default),
    ];
    // What is set for rayon counts where nothing is set for us.
    let rayons = [
        (None, None),
        (Some("7"), Some(7)),
        (Some("many"), Some(default)),
    ];
    for (rayons, by_rayons) in rayons {
        for (value, expected) in cases {
            let expected = by_rayons.filter(|_| value.is_none()).unwrap_or(expected);
            let mut command = child(NAME, "");
            command.env_remove("SUMAC_NUM_THREADS");
            command.env_remove("RAYON_NUM_THREADS");
            command.envs(value.map(|value| ("SUMAC_NUM_THREADS", value)));
            command.envs(rayons.map(|value| ("RAYON_NUM_THREADS", value)));
            let output = run_well(command, LONG);
            let line = format!("threads: {expected} {expected} {expected} 3 .");
            assert!(
                output.contains(&line),
                "{value:?}, {rayons:?}: expected '{line}' in\n{output}"
            );
            let is_told = output.contains("SUMAC_NUM_THREADS is ignored");
            let is_bad = matches!(value, Some("many" | "-2" | "2.5"));
            assert_eq!(is_told, is_bad, "{value:?} in\n{output}");
        }
    }
}

#[test]
fn statistics_count_what_happens() {
    let _alone = alone();
    within(LONG, "statistics", || {
        let two = pool(2);
        let before = two.stats();
        for _ in 0..10 {
            on_a_worker(&two, || ());
        }
        let after = two.stats();
        assert!(
            after.steals >= before.steals + 10,
            "{before:?} to {after:?}"
        );
        assert!(after.promotions >= after.steals, "{after:?}");
        let one = pool(1);
        assert_usable(&one);
        assert_eq!(one.stats().steals, 0, "no thread to steal");
    });
}

#[test]
fn times_say_what_threads_did_for_each_other() {
    let _alone = alone();
    within(LONG, "times", || {
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let work = Duration::from_millis(5);
        let begin = Instant::now();
        let two = pool(2);
        let before = two.stats();
        on_a_worker(&two, || thread::sleep(work));
        let after = two.stats();
        assert!(
            after.working - before.working >= nanos(work),
            "{before:?} to {after:?}"
        );
        // A worker that sleeps all the while is counted all the while. It may sleep already.
        let parked = || two.stats().parked;
        assert!(wait_until(LONG, || parked() > after.parked));
        let (since, start) = (Instant::now(), parked());
        assert!(wait_until(LONG, || parked() - start >= nanos(work)));
        assert!(nanos(since.elapsed()) >= nanos(work));
        let all = two.stats();
        let most = 2 * nanos(begin.elapsed());
        let sum = all.working + all.searching + all.parked;
        assert!(sum <= most, "two threads spent {all:?} in {most} ns");
        let one = pool(1);
        assert_usable(&one);
        assert_eq!(one.stats().working, 0, "its own work is not counted");
    });
}

#[test]
fn yielding_is_harmless_anywhere() {
    let _alone = alone();
    within(LONG, "yield_now", || {
        let two = pool(2);
        sumac::yield_now();
        two.yield_now();
        for style in Style::ALL {
            let total = enter(style, &two, |cx| {
                cx.join(
                    |cx| {
                        sumac::yield_now();
                        let sum = sumac_test_support::sum(cx, 0, 100);
                        two.yield_now();
                        sum
                    },
                    |cx| {
                        two.yield_now();
                        sumac_test_support::sum(cx, 0, 100)
                    },
                )
            });
            assert_eq!(total, (4_950, 4_950));
        }
    });
}
