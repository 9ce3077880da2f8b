//! Joins, loops, iterators, pools.

use std::{
    collections::{HashSet, LinkedList},
    thread::sleep,
    time::Duration,
};

use crate::{
    Place,
    value::{Hostile, OnDrop},
    visit,
};
use sumac::{Callers, OnStall, ThreadPool, ThreadPoolBuilder, prelude::*};

#[test]
fn user_code_in_joins() {
    visit(JOINS);
}

sumac::context! {
    static VALUE: OnDrop;
}

const JOINS: &[Place] = &[
    ("first closure of a join", |h, pool| {
        pool.join(|| h.act(), || ());
    }),
    ("second closure of a join", |h, pool| {
        pool.join(|| (), || h.act());
    }),
    ("both closures of a join", |h, pool| {
        pool.join(|| h.act(), || h.act());
    }),
    ("closures of a scope's join", |h, pool| {
        pool.scope().join(|_| h.act(), |_| h.act());
    }),
    ("eight closures", |h, pool| {
        let act = || h.act();
        pool.install(|| sumac::join8(act, act, act, act, act, act, act, act));
    }),
    ("captures of a closure that is not run", |h, pool| {
        let bomb = h.on_drop();
        pool.scope().join(|_| panic!("first"), move |_| drop(bomb));
    }),
    ("first result after the second panicked", |h, pool| {
        pool.join(|| h.on_drop(), || panic!("second"));
    }),
    ("second result after the first panicked", |h, pool| {
        pool.join(|| panic!("first"), || h.on_drop());
    }),
    ("payload of the second panic", |h, pool| {
        let second = || std::panic::panic_any(h.on_drop());
        pool.join(|| panic!("first"), second);
    }),
    ("install", |h, pool| pool.install(|| h.act())),
    ("a closure for which a value is set", |h, pool| {
        pool.install(|| VALUE.set(h.on_drop(), || h.act()));
    }),
    ("a value that follows joins and loops", |h, pool| {
        let value = h.on_drop();
        pool.install(|| {
            VALUE.set(value, || {
                pool.scope().join(|_| panic!("first"), |_| ());
                (0..1_000).into_par_iter().for_each(|_| ());
            });
        });
    }),
    ("a value that follows a task", |h, pool| {
        VALUE.set(h.on_drop(), || pool.spawn(|| ())).join();
    }),
    ("a value that follows a task that is not run", |h, _| {
        let own = crate::forgiving(1);
        drop(VALUE.set(h.on_drop(), || own.spawn(|| ())));
        drop(own);
    }),
    ("a look at a value", |h, _| {
        VALUE.with(|_| h.act());
    }),
    ("broadcast", |h, pool| {
        pool.broadcast(|_| h.act());
    }),
    ("results of a broadcast that panics", |h, pool| {
        pool.broadcast(|context| {
            let result = h.on_drop();
            assert!(context.index() > 0, "on the first thread");
            result
        });
    }),
];

#[test]
fn user_code_in_loops() {
    visit(LOOPS);
}

const LOOPS: &[Place] = &[
    ("body of a loop", |h, pool| {
        pool.install(|| (0..1_000).into_par_iter().for_each(|_| h.act()));
    }),
    ("reduction", |h, pool| {
        let add = |a: u32, b: u32| {
            h.act();
            a + b
        };
        pool.install(|| (0..1_000).into_par_iter().reduce(|| 0, add));
    }),
    ("state of a loop", |h, pool| {
        pool.install(|| {
            let items = (0..1_000).into_par_iter();
            items.for_each_init(|| h.on_drop(), |_, _| ());
        });
    }),
    ("collected items after a panic", |h, pool| {
        let item = |i| {
            assert!(i != 900, "on the way");
            h.on_drop()
        };
        pool.install(|| (0..1_000).into_par_iter().map(item).collect::<Vec<_>>());
    }),
    ("drained items that the loop leaves", |h, pool| {
        let mut items: Vec<_> = (0..100).map(|_| h.on_drop()).collect();
        pool.install(|| items.par_drain(..).find_any(|_| true));
    }),
    ("an iterator behind a bridge", |h, pool| {
        let items = (0..100).inspect(|_| h.act());
        pool.install(|| items.par_bridge().for_each(|_| ()));
    }),
    ("items ahead of a consumer", |h, pool| {
        let items = (0..100).into_par_iter().map(|_| h.act());
        pool.install(|| items.for_each_ordered(8, |()| h.act()));
    }),
    ("the source of ordered results", |h, pool| {
        let source = (0..100).inspect(|_| h.act());
        pool.in_place_scope(|s| source.par_map_ordered_in(s, 8, |i| i).count());
    }),
    ("ordered results that are not taken", |h, pool| {
        let items = (0..100).into_par_iter().map(|_| h.on_drop());
        pool.install(|| items.iter_ordered(8, |mut items| drop(items.next())));
    }),
    ("captures of ordered results", |h, pool| {
        let (source, f) = (h.on_drop(), h.on_drop());
        pool.in_place_scope(|s| {
            let source = (0..9).map(move |i| (&source, i).1);
            source.par_map_ordered_in(s, 4, move |i| (&f, i).1).next()
        });
    }),
    ("a producer of a list", |h, pool| {
        let list: LinkedList<_> = (0..100).map(|i| h.key(i)).collect();
        pool.install(|| list.par_iter().cloned().collect::<LinkedList<_>>());
    }),
    ("hashes while collecting", |h, pool| {
        let items = (0..100).into_par_iter().map(|i| h.key(i));
        pool.install(|| items.collect::<HashSet<_>>());
    }),
    ("comparisons of a stable sort", |h, pool| {
        let mut items = keys(h);
        pool.install(|| items.par_sort());
    }),
    ("comparisons of an unstable sort", |h, pool| {
        let mut items = keys(h);
        pool.install(|| items.par_sort_unstable());
    }),
    ("keys of a sort", |h, pool| {
        let mut items = keys(h);
        pool.install(|| items.par_sort_by_cached_key(|key| key.clone()));
    }),
    ("minimum", |h, pool| {
        let items = keys(h);
        pool.install(|| items.par_iter().min());
    }),
    ("prefix sums", |h, pool| {
        let mut items: Vec<u32> = (0..100_000).collect();
        let add = |a: &u32, b: &u32| {
            h.act();
            a.wrapping_add(*b)
        };
        pool.install(|| items.par_iter_mut().for_each(|item| *item += 1));
        pool.install(|| sumac::scan(&mut items, add));
    }),
    ("a search", |h, pool| {
        let wanted = |i: &u32| {
            h.act();
            *i == 999
        };
        pool.install(|| (0..1_000).into_par_iter().find_first(wanted));
    }),
];

fn keys(h: &Hostile) -> Vec<crate::value::Key> {
    let numbers = (0..5_000_u32).map(|i| i.wrapping_mul(2_654_435_761) % 5_000);
    numbers.map(|number| h.key(number)).collect()
}

#[test]
fn user_code_in_handlers() {
    visit(HANDLERS);
}

const HANDLERS: &[Place] = &[
    ("start handler", |h, _| {
        let own = h.clone();
        use_pool(ThreadPoolBuilder::new().start_handler(move |_| own.act()));
    }),
    ("exit handler", |h, _| {
        let own = h.clone();
        use_pool(ThreadPoolBuilder::new().exit_handler(move |_| own.act()));
    }),
    ("start handler's destructor", |h, _| {
        let bomb = h.on_drop();
        use_pool(ThreadPoolBuilder::new().start_handler(move |_| drop_later(&bomb)));
    }),
    ("exit handler's destructor", |h, _| {
        let bomb = h.on_drop();
        use_pool(ThreadPoolBuilder::new().exit_handler(move |_| drop_later(&bomb)));
    }),
    ("panic handler", |h, _| {
        let own = h.clone();
        let builder = ThreadPoolBuilder::new().panic_handler(move |_| own.act());
        let pool = use_pool(builder);
        drop(pool.spawn(|| panic!("detached")));
    }),
    ("panic handler's destructor", |h, _| {
        let bomb = h.on_drop();
        drop(use_pool(
            ThreadPoolBuilder::new().panic_handler(move |_| drop_later(&bomb)),
        ));
        // This thread sat there too, and forgets that when it enters another pool.
        use_pool(ThreadPoolBuilder::new());
    }),
    ("stall handler", |h, _| {
        let (own, seen) = (h.clone(), h.clone());
        let builder = ThreadPoolBuilder::new().stall_handler(Duration::ZERO, move |_| {
            own.act();
            OnStall::AddThread
        });
        stall(builder, move || seen.was_seen());
    }),
    ("stall handler's destructor", |h, _| {
        let bomb = h.on_drop();
        let builder = ThreadPoolBuilder::new().stall_handler(Duration::ZERO, move |_| {
            drop_later(&bomb);
            OnStall::AddThread
        });
        stall(builder, || true);
    }),
    ("names of threads", |h, _| {
        let own = h.clone();
        use_pool(ThreadPoolBuilder::new().thread_name(move |i| {
            own.act();
            i.to_string()
        }));
    }),
    ("spawn handler", |h, _| {
        let pool = ThreadPoolBuilder::new()
            .num_threads(3)
            .spawn_handler(|thread| {
                h.act();
                std::thread::spawn(|| thread.run());
                Ok(())
            })
            .build();
        pool.expect("a pool").join(|| 1, || 2);
    }),
];

/// Occupies the only thread of a pool until `end`, while another task waits.
fn stall(builder: ThreadPoolBuilder, end: impl Fn() -> bool + Send + 'static) {
    let builder = builder.num_threads(1).callers(Callers::Wait);
    let pool = builder.panic_handler(drop).build().expect("a pool");
    let first = pool.spawn(move || {
        while !end() {
            sleep(Duration::from_millis(1));
        }
    });
    pool.spawn(|| ()).join();
    first.join();
    pool.wait_until_stopped();
}

fn drop_later<T>(_: &T) {}

fn use_pool(builder: ThreadPoolBuilder) -> ThreadPool {
    let pool = builder.num_threads(3).build().expect("a pool");
    assert_eq!(pool.join(|| 1, || 2), (1, 2));
    pool
}
