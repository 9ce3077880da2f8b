//! Tracing spans go with the work that was forked in them.

use std::{
    cell::Cell,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicIsize, Ordering::SeqCst},
        mpsc,
    },
    thread::{self, ThreadId},
};
use sumac::{Callers, SpanCarrier, ThreadPool, ThreadPoolBuilder, prelude::*};
use sumac_test_support::{
    Cx, LONG, Style, caught, child, child_argument, enter, keep_forking, pool, run_well, text,
    throw, within,
};
use tracing::{Span, Subscriber, dispatcher, info_span, span::Id};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt},
    registry::{LookupSpan, Registry},
};

/// Counts the spans that are open, and the threads that are in one.
#[derive(Clone, Default)]
struct Open(Arc<[AtomicIsize; 2]>);

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Open {
    fn on_new_span(&self, _: &tracing::span::Attributes<'_>, _: &Id, _: Context<'_, S>) {
        self.0[0].fetch_add(1, SeqCst);
    }

    fn on_close(&self, _: Id, _: Context<'_, S>) {
        self.0[0].fetch_sub(1, SeqCst);
    }

    fn on_enter(&self, _: &Id, _: Context<'_, S>) {
        self.0[1].fetch_add(1, SeqCst);
    }

    fn on_exit(&self, _: &Id, _: Context<'_, S>) {
        self.0[1].fetch_sub(1, SeqCst);
    }
}

/// Calls `test` with a subscriber that carries spans, and this layer; then no span is open.
fn traced_with(layer: impl Layer<Registry> + Send + Sync, test: impl FnOnce() + Send + 'static) {
    let open = Open::default();
    // The carrier comes before the layer, which may panic.
    let subscriber = Registry::default()
        .with(layer.boxed())
        .with(SpanCarrier::new())
        .with(open.clone());
    let subscriber = tracing::Dispatch::new(subscriber);
    within(LONG, "traced", move || {
        dispatcher::with_default(&subscriber, test)
    });
    assert_eq!(open.0[1].load(SeqCst), 0, "spans that a thread is still in");
    assert_eq!(open.0[0].load(SeqCst), 0, "spans that are still open");
}

fn traced(test: impl FnOnce() + Send + 'static) {
    traced_with(None::<SpanCarrier>, test);
}

/// Where something ran.
#[derive(Debug, PartialEq)]
struct Seen(ThreadId, Option<Id>);

fn seen() -> Seen {
    Seen(thread::current().id(), Span::current().id())
}

/// Joins `first` with a second half that another thread takes meanwhile, and says where that ran.
fn join_stolen(cx: &mut Cx<'_, '_>, first: impl FnOnce() + Send) -> Seen {
    let here = thread::current().id();
    let taken = AtomicBool::new(false);
    let (forked, there) = cx.join(
        |cx| {
            first();
            keep_forking(cx, || taken.load(SeqCst))
        },
        |_| {
            taken.store(true, SeqCst);
            seen()
        },
    );
    assert!(forked, "no thread came");
    assert_ne!(there.0, here);
    there
}

fn both_styles(test: impl Fn(&mut Cx<'_, '_>) + Send + Sync + 'static) {
    traced(move || {
        let two = pool(2);
        for style in Style::ALL {
            enter(style, &two, &test);
        }
    });
}

#[test]
fn a_stolen_half_runs_in_the_span_that_was_current() {
    both_styles(|cx| {
        let request = info_span!("request");
        let _entered = request.enter();
        assert_eq!(join_stolen(cx, || ()).1, request.id());
    });
}

#[test]
fn without_a_span_there_is_none() {
    both_styles(|cx| assert_eq!(join_stolen(cx, || ()).1, None));
}

// What is promoted is the oldest fork, from inside of calls that have entered further spans.
#[test]
fn a_stolen_half_runs_in_the_span_of_its_fork_not_of_the_promotion() {
    traced(|| {
        pool(2).install(|| {
            for outer in [Span::none(), info_span!("outer")] {
                let _outer = outer.enter();
                let taken = AtomicBool::new(false);
                let (inner, there) = sumac::join(
                    || {
                        let inner = info_span!("inner");
                        let _inner = inner.enter();
                        assert!(keep_forking(&mut Cx::Join, || taken.load(SeqCst)));
                        // By now the inner forks are the oldest.
                        (join_stolen(&mut Cx::Join, || ()).1, inner.id())
                    },
                    || {
                        taken.store(true, SeqCst);
                        seen().1
                    },
                );
                assert_eq!(inner.0, inner.1);
                assert_eq!(there, outer.id());
            }
        });
    });
}

#[test]
fn a_span_that_was_left_before_the_fork_is_not_carried() {
    traced(|| {
        pool(2).install(|| {
            let outer = info_span!("outer");
            let _outer = outer.enter();
            info_span!("left").in_scope(|| ());
            let there = join_stolen(&mut Cx::Join, || info_span!("left").in_scope(|| ()));
            assert_eq!(there.1, outer.id());
        });
    });
}

#[test]
fn forks_of_stolen_work_have_their_spans() {
    traced(|| {
        pool(3).install(|| {
            let outer = info_span!("outer");
            let _outer = outer.enter();
            let begun = AtomicBool::new(false);
            let (_, (inner, there)) = sumac::join(
                || keep_forking(&mut Cx::Join, || begun.load(SeqCst)),
                || {
                    begun.store(true, SeqCst);
                    let inner = info_span!("inner");
                    let there = inner.in_scope(|| join_stolen(&mut Cx::Join, || ()));
                    (inner.id(), there)
                },
            );
            assert_eq!(there.1, inner);
        });
    });
}

#[test]
fn items_of_loops_are_in_the_span_of_the_loop() {
    traced(|| {
        let five = pool(5);
        let request = info_span!("request");
        let _entered = request.enter();
        let threads = Mutex::new(Vec::new());
        let outside = AtomicIsize::new(0);
        let done = || threads.lock().expect("no panic").len() > 1;
        five.install(|| {
            for _ in sumac_test_support::rounds(100_000).take_while(|_| !done()) {
                (0..1000).into_par_iter().for_each(|_| {
                    let Seen(thread, span) = seen();
                    outside.fetch_add(isize::from(span != request.id()), SeqCst);
                    let mut threads = threads.lock().expect("no panic");
                    if !threads.contains(&thread) {
                        threads.push(thread);
                    }
                    drop(threads);
                    // A span of the item's own.
                    info_span!("item").in_scope(sumac_test_support::work);
                });
            }
        });
        assert!(done(), "no part was stolen");
        assert_eq!(outside.into_inner(), 0);
    });
}

fn waits() -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(2);
    builder.callers(Callers::Wait).build().expect("a pool")
}

#[test]
fn tasks_calls_and_handovers_are_in_the_span_of_their_spawning() {
    traced(|| {
        let (two, waits) = (pool(2), waits());
        let request = info_span!("request");
        let _entered = request.enter();
        let (send, receive) = mpsc::channel();
        let task = two.spawn(move || send.send(seen()));
        let there = receive.recv_timeout(LONG / 4).expect("a worker runs it");
        assert_eq!(there.1, request.id());
        assert!(task.join().is_ok());
        let handed_over = waits.install(seen);
        assert_ne!(handed_over.0, thread::current().id());
        assert_eq!(handed_over.1, request.id());
        for calls in [two.broadcast(|_| seen()), waits.broadcast(|_| seen())] {
            assert!(calls.iter().all(|seen| seen.1 == request.id()), "{calls:?}");
        }
        let spans = Mutex::new(Vec::new());
        two.task_scope(|s| {
            for _ in 0..20 {
                let own = info_span!("own");
                let _own = own.enter();
                let (id, spans) = (own.id(), &spans);
                s.spawn(move |_| spans.lock().expect("no panic").push((id, seen().1)));
            }
        });
        let spans = spans.into_inner().expect("no panic");
        assert_eq!(spans.len(), 20);
        assert!(spans.iter().all(|(own, seen)| own == seen));
    });
}

#[test]
fn a_panic_leaves_the_span() {
    traced(|| {
        let two = pool(2);
        let payload = two.install(|| {
            let request = info_span!("request");
            let _entered = request.enter();
            let taken = AtomicBool::new(false);
            caught(|| {
                sumac::join(
                    || keep_forking(&mut Cx::Join, || taken.load(SeqCst)),
                    || {
                        taken.store(true, SeqCst);
                        throw("the half")
                    },
                )
            })
        });
        assert_eq!(text(&*payload), "the half");
        assert_eq!(sumac_test_support::on_a_worker(&two, || seen().1), None);
    });
}

/// Enters no span on threads other than the first.
struct Panics(ThreadId);

impl Layer<Registry> for Panics {
    fn on_enter(&self, _: &Id, _: Context<'_, Registry>) {
        if thread::current().id() != self.0 {
            throw("a subscriber");
        }
    }
}

/// A tree of joins with so many leaves.
fn leaves(depth: u32) -> u32 {
    if depth == 0 {
        return 1;
    }
    let (a, b) = sumac::join(|| leaves(depth - 1), || leaves(depth - 1));
    a + b
}

/// Forks at every span, enough for parts of it to be stolen. A thread that waits for these may take
/// some that carry a span, and is told of that; what is forked then carries none, or it would go on
/// without end. Counts where it does.
struct Forks(Arc<AtomicIsize>);

thread_local! {
    static FORKING: Cell<u32> = const { Cell::new(0) };
}

impl Forks {
    fn fork(&self) {
        let depth = FORKING.get();
        if depth == 2 {
            self.0.fetch_add(1, SeqCst);
            return;
        }
        FORKING.set(depth + 1);
        assert_eq!(leaves(8), 1 << 8);
        FORKING.set(depth);
    }
}

impl Layer<Registry> for Forks {
    fn on_enter(&self, _: &Id, _: Context<'_, Registry>) {
        self.fork();
    }

    fn on_exit(&self, _: &Id, _: Context<'_, Registry>) {
        self.fork();
    }
}

/// A tree of joins, each in a span of its own, with so many leaves; asserts that both halves of
/// each are in it, and counts the halves that were stolen.
fn tree(depth: u32, stolen: &AtomicIsize) -> u32 {
    if depth == 0 {
        sumac_test_support::work();
        return 1;
    }
    let (here, span) = (thread::current().id(), info_span!("node"));
    let half = || {
        let Seen(thread, current) = seen();
        assert_eq!(current, span.id());
        stolen.fetch_add(isize::from(thread != here), SeqCst);
        tree(depth - 1, stolen)
    };
    let (a, b) = span.in_scope(|| sumac::join(half, half));
    a + b
}

// Most of what is stolen was promoted from far inside.
#[test]
fn all_halves_of_a_recursion_are_in_their_callers_span() {
    traced(|| {
        let (five, stolen) = (pool(5), AtomicIsize::new(0));
        let enough = || stolen.load(SeqCst) > 50;
        for _ in sumac_test_support::rounds(1000).take_while(|_| !enough()) {
            assert_eq!(five.install(|| tree(10, &stolen)), 1 << 10);
        }
        assert!(enough());
    });
}

fn join_often() {
    let stolen = AtomicIsize::new(0);
    let tree = |depth| tree(depth, &stolen);
    let request = info_span!("request");
    let _entered = request.enter();
    for threads in [1, 2, 5] {
        let pool = pool(threads);
        assert_eq!(pool.install(|| tree(10)), 1 << 10);
        let counts = pool.install(|| (0..2000).into_par_iter().map(|_| tree(0)).sum::<u32>());
        assert_eq!(counts, 2000);
    }
}

#[test]
fn all_spans_are_closed() {
    traced(join_often);
}

#[test]
fn a_subscriber_may_fork() {
    let nested = Arc::new(AtomicIsize::new(0));
    traced_with(Forks(Arc::clone(&nested)), || {
        (0..5).for_each(|_| join_often())
    });
    assert_eq!(nested.load(SeqCst), 0);
}

/// A registry that spawns where a span is cloned. Counts where it is told of that again meanwhile.
#[derive(Default)]
struct SpawnsInClones(Registry, Arc<AtomicIsize>);

impl<'a> LookupSpan<'a> for SpawnsInClones {
    type Data = <Registry as LookupSpan<'a>>::Data;

    fn span_data(&'a self, id: &Id) -> Option<Self::Data> {
        self.0.span_data(id)
    }
}

impl Subscriber for SpawnsInClones {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        self.0.enabled(metadata)
    }

    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> Id {
        self.0.new_span(span)
    }

    fn record(&self, _: &Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &tracing::Event<'_>) {}

    fn enter(&self, id: &Id) {
        self.0.enter(id);
    }

    fn exit(&self, id: &Id) {
        self.0.exit(id);
    }

    fn clone_span(&self, id: &Id) -> Id {
        let depth = FORKING.get();
        if depth == 2 {
            self.1.fetch_add(1, SeqCst);
        } else {
            FORKING.set(depth + 1);
            sumac::spawn(|| ()).join();
            FORKING.set(depth);
        }
        self.0.clone_span(id)
    }

    fn try_close(&self, id: Id) -> bool {
        self.0.try_close(id)
    }
}

#[test]
fn a_subscriber_may_spawn_where_it_clones_a_span() {
    const NAME: &str = "a_subscriber_may_spawn_where_it_clones_a_span";
    // The default of all threads is told by itself, too.
    if child_argument(NAME).is_none() {
        run_well(child(NAME, ""), LONG);
        return;
    }
    let subscriber = SpawnsInClones::default();
    let nested = Arc::clone(&subscriber.1);
    let global = dispatcher::set_global_default(subscriber.with(SpanCarrier::new()).into());
    assert!(global.is_ok());
    info_span!("request").in_scope(|| sumac::spawn(|| ()).join());
    assert_eq!(nested.load(SeqCst), 0);
}

#[test]
fn where_the_subscriber_panics_work_is_done_all_the_same_and_the_span_left() {
    // The subscriber's own count of the spans is broken by then: that is not looked at.
    within(LONG, "traced", || {
        let first = thread::current().id();
        let subscriber = Registry::default()
            .with(Panics(first))
            .with(SpanCarrier::new());
        let subscriber = tracing::Dispatch::new(subscriber);
        dispatcher::with_default(&subscriber, || {
            let (two, request) = (pool(2), info_span!("request"));
            request.in_scope(|| two.install(|| join_stolen(&mut Cx::Join, || ())));
            let current = || dispatcher::with_default(&subscriber, || seen().1);
            assert_eq!(sumac_test_support::on_a_worker(&two, current), None);
        });
    });
}

#[test]
fn without_a_carrier_nothing_is_carried() {
    within(LONG, "traced", || {
        let subscriber = tracing::Dispatch::new(Registry::default());
        dispatcher::with_default(&subscriber, || {
            pool(2).install(|| {
                let request = info_span!("request");
                let _entered = request.enter();
                assert_eq!(join_stolen(&mut Cx::Join, || ()).1, None);
            });
        });
    });
}
