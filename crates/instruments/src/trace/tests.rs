//! Traces of pools that do what they are told.

use super::{
    record::{Events, events_of},
    *,
};
use std::sync::atomic::{AtomicBool, Ordering};
use sumac_core::{ThreadPoolBuilder, hooks::Lane as _, join, spawn};

fn pool(threads: usize) -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("a pool")
}

/// Makes a worker take a job, and that job last for some milliseconds.
fn steal(pool: &ThreadPool) {
    let taken = AtomicBool::new(false);
    let wait = || {
        while !taken.load(Ordering::SeqCst) {
            join(|| (), || ());
        }
    };
    let work = || {
        taken.store(true, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(3));
    };
    pool.join(wait, work);
}

#[test]
fn a_steal_is_seen_on_both_sides() {
    let pool = pool(2);
    let ((), trace) = pool.install(|| {
        super::trace(|| {
            steal(&pool);
            spawn(|| ()).join();
        })
    });
    let [worker, guest] = &trace.lanes[..] else {
        panic!("two threads took part: {trace:?}");
    };
    assert_eq!((&*worker.name, &*guest.name), ("worker 0", "guest 0"));
    assert_eq!(trace.dropped(), 0);
    let has = |lane: &Lane, what| lane.moments.iter().any(|&(_, it)| it == what);
    assert!(has(worker, Happened::Steal) && has(guest, Happened::Promotion));
    let worked = worker.spent(Doing::Working);
    assert!(worked >= Duration::from_millis(3), "{worked:?}");
    for lane in &trace.lanes {
        let mut at = Duration::ZERO;
        for stretch in &lane.stretches {
            assert_eq!(stretch.start, at, "a gap");
            assert!(stretch.end > stretch.start);
            at = stretch.end;
        }
        assert_eq!(at, trace.duration);
    }
}

#[test]
fn a_thread_that_waits_is_not_at_its_own_work() {
    let pool = pool(2);
    // It does not wait if the system lets it sleep until the job is done.
    let waited = (0..100).any(|_| {
        let tracing = Tracing::start(&pool, 100);
        steal(&pool);
        let trace = tracing.finish();
        let guest = trace.lanes.iter().find(|lane| lane.name == "guest 0");
        let guest = guest.expect("it took part");
        guest.spent(Doing::Searching) + guest.spent(Doing::Parked) > Duration::from_millis(1)
    });
    assert!(waited);
}

#[test]
fn rings_forget_the_oldest_and_say_so() {
    let pool = pool(2);
    let tracing = Tracing::start(&pool, 3);
    for _ in 0..5 {
        steal(&pool);
    }
    let trace = tracing.finish();
    assert!(trace.dropped() > 5);
    for lane in &trace.lanes {
        assert!(lane.stretches.len() <= 4 && lane.moments.len() <= 3);
    }
}

#[test]
fn nothing_is_kept_when_nobody_traces() {
    let pool = pool(2);
    let first = Tracing::start(&pool, 100);
    let second = Tracing::start(&pool, 100);
    steal(&pool);
    drop(first);
    steal(&pool);
    assert!(second.finish().lanes.len() == 2);
    steal(&pool);
    assert!(
        Observed::pool(&pool)
            .seats()
            .all(|seat| !events_of(seat).is_on())
    );
    let third = Tracing::start(&pool, 100);
    let trace = third.finish();
    let moments: usize = trace.lanes.iter().map(|lane| lane.moments.len()).sum();
    assert_eq!(moments, 0, "{trace:?}");
}

#[test]
fn a_thread_that_comes_late_is_traced() {
    let pool = pool(2);
    let tracing = Tracing::start(&pool, 100);
    let (a, b) = (std::sync::Barrier::new(2), &pool);
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                b.install(|| a.wait());
                steal(b);
            });
        }
    });
    assert_eq!(tracing.finish().lanes.len(), 3);
}

#[test]
fn a_later_trace_does_not_lack_what_was_before_it() {
    let events = Events::default();
    events.begin(|| Phase::Away, 2, 10);
    for (at, phase) in [
        (11, Phase::Working),
        (12, Phase::Parked),
        (13, Phase::Working),
    ] {
        events.enters(phase, at);
    }
    let dropped = |start| events.cut(start, 30).map(|lane| lane.dropped);
    assert_eq!((dropped(10), dropped(20)), (Some(1), Some(0)));
}

/// A trace by hand, to see exactly what is written.
fn example() -> Trace {
    let nanos = Duration::from_nanos;
    let stretch = |doing, start, end| Stretch {
        doing,
        start: nanos(start),
        end: nanos(end),
    };
    Trace {
        lanes: vec![Lane {
            name: "worker 0".into(),
            stretches: vec![
                stretch(Doing::Searching, 0, 1_500),
                stretch(Doing::Working, 1_500, 3_000),
            ],
            moments: vec![(nanos(1_501), Happened::Steal)],
            dropped: 2,
        }],
        duration: nanos(3_000),
    }
}

#[test]
fn chrome_gets_microseconds() {
    let mut text = Vec::new();
    example().write_chrome(&mut text).expect("room");
    let text = String::from_utf8(text).expect("text");
    for expected in [
        r#""otherData":{"dropped":2}"#,
        r#""name":"thread_name","args":{"name":"worker 0","dropped":2}"#,
        r#""ph":"X","pid":1,"tid":0,"cat":"thread","name":"working","ts":1.500,"dur":1.500}"#,
        r#""ph":"i","s":"t","pid":1,"tid":0,"cat":"scheduler","name":"steal","ts":1.501}"#,
    ] {
        assert!(text.contains(expected), "{expected} in\n{text}");
    }
    assert_eq!(text.matches('{').count(), text.matches('}').count());
}

#[test]
fn pictures_show_shares_and_say_what_is_missing() {
    let mut text = Vec::new();
    example().write_svg(&mut text).expect("room");
    let text = String::from_utf8(text).expect("text");
    assert!(text.contains("2 older events were dropped"));
    let whole = |class, x| format!("<rect class=\"{class}\" x=\"{x}\" y=\"62.0\" width=\"500\"");
    assert!(text.contains(&whole("searching", 90)), "{text}");
    assert!(text.contains(&whole("working", 590)), "{text}");
    assert!(text.contains("working 50.0 %"));
}
