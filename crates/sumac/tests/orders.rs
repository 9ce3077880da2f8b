//! Programs in orders that seeds decide.

use std::{
    cell::Cell,
    collections::BTreeSet,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::Duration,
};
use sumac::{
    Scope, ScopeLoops, ThreadPoolBuilder,
    prelude::*,
    testing::{replay, schedules},
};
use sumac_test_support::{LONG, caught, child, child_argument, held, run, text, throw, waited};

/// What each of `runs` orders of a program has noted.
fn seen<T: Ord + Send>(runs: u64, program: impl Fn(&dyn Fn(T))) -> BTreeSet<Vec<T>> {
    let all = Mutex::new(BTreeSet::new());
    schedules(1, runs, || {
        let notes = Mutex::new(Vec::new());
        program(&|note| notes.lock().expect("no panic").push(note));
        let notes = notes.into_inner().expect("no panic");
        all.lock().expect("no panic").insert(notes);
    });
    all.into_inner().expect("no panic")
}

/// As [`seen`], of notes that forks make.
fn orders<T: Ord + Send>(runs: u64, program: impl Fn(&Mutex<Vec<T>>)) -> BTreeSet<Vec<T>> {
    let all = Mutex::new(BTreeSet::new());
    schedules(1, runs, || {
        let notes = Mutex::new(Vec::new());
        program(&notes);
        let notes = notes.into_inner().expect("no panic");
        all.lock().expect("no panic").insert(notes);
    });
    all.into_inner().expect("no panic")
}

fn note<T>(notes: &Mutex<Vec<T>>, what: T) {
    notes.lock().expect("no panic").push(what);
}

#[test]
fn both_orders_of_a_join_come_up() {
    let plain = orders(20, |notes| {
        sumac::join(|| note(notes, 'a'), || note(notes, 'b'));
    });
    assert_eq!(plain, [vec!['a', 'b'], vec!['b', 'a']].into());
    let scoped = orders(20, |notes| {
        Scope::global().join(|_| note(notes, 'a'), |_| note(notes, 'b'));
    });
    assert_eq!(scoped, plain);
    // The order in which the three are joined leaves four of six.
    let three = orders(100, |notes| {
        sumac::join3(|| note(notes, 1), || note(notes, 2), || note(notes, 3));
    });
    assert_eq!(three.len(), 4);
}

#[test]
fn second_halves_run_here_and_elsewhere() {
    let here = thread::current().id();
    let places = seen(50, |note| {
        let (first, second) = sumac::join(|| thread::current().id(), || thread::current().id());
        assert_eq!(first, here);
        note(second == here);
    });
    assert_eq!(places, [vec![false], vec![true]].into());
}

#[test]
fn loops_are_split_anywhere() {
    let orders = orders(300, |notes| {
        (0..6).into_par_iter().for_each(|i| note(notes, i));
    });
    for order in &orders {
        assert_eq!(
            BTreeSet::from_iter(order),
            BTreeSet::from_iter(&[0, 1, 2, 3, 4, 5])
        );
    }
    // In the order of the items, and with a part from each place on before what lies left of it.
    assert!(orders.contains(&vec![0, 1, 2, 3, 4, 5]));
    for first in 1..6 {
        assert!(orders.iter().any(|order| order[0] == first), "{first}");
    }
}

#[test]
fn what_loops_compute_does_not_depend_on_the_order() {
    schedules(7, 100, || {
        let squares: Vec<_> = (0..50).into_par_iter().map(|i| i * i).collect();
        assert!(squares.iter().copied().eq((0..50).map(|i| i * i)));
        let found = (0..50).into_par_iter().find_first(|i| i % 7 == 6);
        assert_eq!(found, Some(6));
        let mut numbers: Vec<_> = (0..200).map(|i| i * 37 % 101).collect();
        numbers.par_sort();
        assert!(numbers.is_sorted());
        let words = ["a", "b", "c", "d"].par_iter().map(|w| w.to_string());
        assert_eq!(words.reduce(String::new, |a, b| a + &b), "abcd");
    });
}

// The bug: the reduction is not associative.
#[test]
fn results_come_in_order_in_all_orders() {
    let begun = orders(300, |notes| {
        let items = (0..6).into_par_iter().inspect(|&i| note(notes, i));
        items.iter_ordered(3, |items| assert!(items.eq(0..6)));
    });
    assert!(begun.len() > 1, "nothing ahead of the consumer");
    let panics = orders(100, |notes| {
        let items = (0..6)
            .into_par_iter()
            .inspect(|&i| assert!(i != 3, "the fourth"));
        let payload = caught(|| items.for_each_ordered(2, |i| note(notes, i)));
        assert_eq!(text(&*payload), "the fourth");
    });
    assert_eq!(panics, [vec![0, 1, 2]].into());
}

#[test]
fn a_result_that_depends_on_the_splits_is_found_and_replayed() {
    let program = || {
        let sum = (0..10).into_par_iter().map(f64::from);
        assert_eq!(sum.reduce(|| 0.0, |a, b| a - b), -45.0, "the splits decide");
    };
    let failing = (0..1000).find(|&seed| {
        let result = std::panic::catch_unwind(|| replay(seed, program));
        result.is_err()
    });
    let seed = failing.expect("found within 1,000 seeds");
    for _ in 0..10 {
        let payload = caught(|| replay(seed, program));
        assert!(text(&*payload).contains("the splits decide"));
    }
}

// However long blocks of loops take this time.
#[test]
fn a_replay_repeats_everything() {
    let trace = |seed, time: u64| {
        let notes = Mutex::new(Vec::new());
        replay(seed, || {
            (0..40).into_par_iter().for_each(|i| {
                sumac_test_support::spin(Duration::from_micros(i * time % 7));
                note(&notes, i);
                drop(sumac::spawn(|| ()));
            });
            let notes = &notes;
            sumac::scope(|s| (50..55).for_each(|i| s.spawn(move |_| note(notes, i))));
        });
        notes.into_inner().expect("no panic")
    };
    for seed in 0..30 {
        assert_eq!(trace(seed, 0), trace(seed, 5), "seed {seed}");
    }
}

// The bug: between the look and the write another half may have written.
#[test]
fn a_lost_update_between_forks_is_found() {
    let payload = caught(|| {
        schedules(1, 1000, || {
            let balance = AtomicUsize::new(100);
            let withdraw = || {
                let task = sumac::spawn(|| ());
                if balance.load(SeqCst) >= 100 {
                    task.join();
                    balance.fetch_sub(100, SeqCst);
                }
            };
            sumac::scope(|s| {
                s.spawn(|_| withdraw());
                let enough = balance.load(SeqCst) >= 100;
                s.spawn(|_| ());
                if enough {
                    balance
                        .fetch_update(SeqCst, SeqCst, |b| b.checked_sub(100))
                        .expect("overdrawn");
                }
            });
        });
    });
    assert!(text(&*payload).starts_with("overdrawn"));
}

#[test]
fn tasks_run_at_once_and_later_and_last() {
    let orders = orders(100, |notes| {
        sumac::scope(|s| {
            s.spawn(|_| note(notes, 1));
            note(notes, 0);
            s.spawn(|_| note(notes, 2));
            note(notes, 0);
        });
    });
    for order in [
        vec![1, 0, 2, 0],
        vec![0, 0, 1, 2],
        vec![1, 0, 0, 2],
        vec![0, 1, 0, 2],
    ] {
        assert!(orders.contains(&order), "{order:?} is not in {orders:?}");
    }
}

#[test]
fn tasks_that_are_not_waited_for_run_too() {
    static RAN: AtomicUsize = AtomicUsize::new(0);
    schedules(1, 50, || {
        for _ in 0..3 {
            drop(sumac::spawn(|| {
                drop(sumac::spawn(|| RAN.fetch_add(1, SeqCst)));
            }));
        }
    });
    assert_eq!(RAN.load(SeqCst), 150);
}

#[test]
fn promises_are_kept_in_all_orders() {
    schedules(1, 100, || {
        let tasks: Vec<_> = (0..5).map(|i| sumac::spawn(move || i)).collect();
        let sum: i32 = tasks.into_iter().rev().map(|task| task.join()).sum();
        assert_eq!(sum, 10);
        let (resolver, promise) = sumac::promise();
        drop(sumac::spawn(move || resolver.resolve(3)));
        assert_eq!(promise.join(), 3);
    });
}

#[test]
fn a_lock_that_is_held_where_tasks_are_spawned_is_no_deadlock() {
    static TOTAL: Mutex<u32> = Mutex::new(0);
    schedules(3, 8, || {
        let held = TOTAL.lock().expect("no panic");
        let task = sumac::spawn(|| *TOTAL.lock().expect("no panic") += 1);
        drop(held);
        task.join();
    });
    assert_eq!(*TOTAL.lock().expect("no panic"), 8);
}

// A lock that is held across a join, or a borrow, is never met again from inside.
#[test]
fn no_half_runs_in_the_midst_of_another() {
    thread_local! {
        static INSIDE: Cell<bool> = const { Cell::new(false) };
    }
    fn tree(depth: u32) {
        assert!(!INSIDE.replace(true));
        INSIDE.set(false);
        if depth > 0 {
            sumac::join(|| tree(depth - 1), || tree(depth - 1));
            (0..3).into_par_iter().for_each(|_| {
                assert!(!INSIDE.replace(true));
                sumac::join(|| (), || ());
                (0..3).into_par_iter().for_each(|_| ());
                INSIDE.set(false);
            });
        }
    }
    schedules(1, 100, || tree(3));
}

#[test]
fn panics_leave_joins_as_ever() {
    let ended = AtomicUsize::new(0);
    for seed in 0..20 {
        let both = caught(|| {
            replay(seed, || {
                sumac::join(|| throw("a"), || throw("b"));
            })
        });
        assert_eq!(text(&*both), "a");
        let second = caught(|| {
            replay(seed, || {
                let first = || ended.fetch_add(1, SeqCst);
                sumac::join(first, || throw("b"));
            });
        });
        assert_eq!(text(&*second), "b");
    }
    assert_eq!(ended.into_inner(), 20);
    let item = caught(|| {
        schedules(1, 100, || {
            (0..10)
                .into_par_iter()
                .for_each(|i| assert_ne!(i, 7, "the item"));
        });
    });
    assert!(text(&*item).contains("the item"));
    let lost = caught(|| schedules(1, 100, || drop(sumac::spawn(|| throw("a task")))));
    assert_eq!(text(&*lost), "a task");
}

#[test]
fn schedules_in_schedules_are_refused() {
    let nested = caught(|| schedules(1, 1, || schedules(1, 1, || ())));
    assert!(text(&*nested).contains("schedules inside of schedules"));
    let elsewhere = caught(|| {
        schedules(1, 50, || {
            sumac::join(|| (), || replay(1, || ()));
        });
    });
    assert!(text(&*elsewhere).contains("schedules inside of schedules"));
    // And it is over afterwards.
    schedules(1, 1, || ());
    assert_eq!(sumac::join(|| 1, || 2), (1, 2));
}

#[test]
fn what_other_threads_do_later_is_no_deadlock() {
    let later = || thread::sleep(Duration::from_millis(50));
    let pool = waited(2);
    schedules(1, 3, || {
        let (resolver, promise) = sumac::promise();
        let other = thread::spawn(move || {
            later();
            resolver.resolve(1);
        });
        assert_eq!(promise.join(), 1);
        other.join().expect("no panic");
        pool.install(later);
        pool.spawn(later).join();
        assert_eq!(pool.broadcast(|_| later()).len(), 2);
    });
}

#[test]
fn tasks_of_a_pool_whose_callers_wait_run_on_its_threads_alone() {
    let (pool, here) = (waited(1), thread::current().id());
    let (held, end) = held(&pool);
    let mut tasks = Vec::new();
    let spawned = Mutex::new(&mut tasks);
    schedules(1, 3, || {
        let task = pool.spawn(|| thread::current().id());
        spawned.lock().expect("no panic").push(task);
    });
    drop(end);
    held.join();
    assert_eq!(tasks.len(), 3);
    for task in tasks {
        assert_ne!(task.join(), here);
    }
}

// The thread that waits holds the lock which the task wants.
#[test]
fn tasks_of_pools_of_the_program_are_left_to_their_threads() {
    static LOCK: Mutex<u32> = Mutex::new(0);
    schedules(1, 5, || {
        let pool = ThreadPoolBuilder::new()
            .num_threads(2)
            .build()
            .expect("a pool");
        pool.install(|| {
            let held = LOCK.lock().expect("no thread panics");
            let (begin, begun) = mpsc::channel();
            let slow = pool.spawn(move || {
                begin.send(()).expect("it is waited for");
                thread::sleep(Duration::from_millis(20));
            });
            begun.recv().expect("it begins");
            let wants = pool.spawn(|| *LOCK.lock().expect("no thread panics") += 1);
            slow.join();
            drop(held);
            wants.join();
        });
    });
    assert_eq!(*LOCK.lock().expect("no thread panics"), 5);
}

// There is no other thread.
#[test]
fn tasks_of_a_pool_of_one_thread_run() {
    schedules(1, 5, || {
        let pool = ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .expect("a pool");
        assert_eq!(pool.install(|| pool.spawn(|| 7).join()), 7);
    });
}

#[test]
fn a_deadlock_is_reported_with_its_seed() {
    const NAME: &str = "a_deadlock_is_reported_with_its_seed";
    if child_argument(NAME).is_none() {
        let ended = run(child(NAME, ""), LONG);
        assert!(!ended.status.success());
        assert!(
            ended.output.contains("a deadlock in the order of seed 5"),
            "{}",
            ended.output
        );
        return;
    }
    replay(5, || {
        let (resolver, promise) = sumac::promise::<()>();
        promise.join();
        drop(resolver);
    });
}

// Fork/join does not promise that halves run at the same time.
#[test]
fn a_half_that_waits_for_its_sibling_is_reported() {
    const NAME: &str = "a_half_that_waits_for_its_sibling_is_reported";
    if child_argument(NAME).is_none() {
        let ended = run(child(NAME, ""), LONG);
        assert_eq!(ended.status.code(), Some(101));
        assert!(
            ended.output.contains("a deadlock in the order of seed"),
            "{}",
            ended.output
        );
        return;
    }
    schedules(1, 100, || {
        let (send, receive) = mpsc::channel();
        let send = || send.send(1).expect("the sibling receives");
        sumac::join(send, move || receive.recv().expect("the sibling sends"));
    });
}

#[test]
fn a_thousand_orders_take_no_time() {
    let begin = std::time::Instant::now();
    schedules(1, 1000, || {
        (0..10).into_par_iter().for_each(|_| {
            sumac::join(|| (), || ());
        });
    });
    assert!(begin.elapsed() < LONG / 4, "{:?}", begin.elapsed());
}

sumac::context! {
    static DEPTH: usize;
}

fn depth() -> Option<usize> {
    DEPTH.with(|depth| depth.copied())
}

/// Asserts at each node of a tree that both halves, a loop and a task see what was set there.
fn tree(scope: &mut Scope<'_>, height: usize) {
    let see = || assert_eq!(depth(), Some(height));
    DEPTH.set(height, || {
        (0..4).into_par_iter().for_each(|_| see());
        scope.for_each(0..4, |_, _| see());
        let task = sumac::spawn(depth);
        if height > 0 {
            scope.join(|s| tree(s, height - 1), |s| tree(s, height - 1));
            let plain = || {
                see();
                DEPTH.set(7, || sumac::join(|| (), || assert_eq!(depth(), Some(7))));
                see();
            };
            sumac::join(plain, plain);
        }
        assert_eq!(task.join(), Some(height));
        see();
    });
}

#[test]
fn values_are_those_of_the_fork_in_all_orders() {
    schedules(1, 200, || {
        tree(&mut Scope::global(), 2);
        assert_eq!(depth(), None);
    });
}
