//! Everything at once.

use super::{
    in_time,
    probe::{Add, Probe, act},
    until,
};
use fastrand::Rng;
use std::{
    future::Future,
    pin::Pin,
    sync::atomic::{AtomicI64, Ordering::SeqCst},
    task::{Context, Poll, Waker},
    thread,
    time::Duration,
};
use sumac_batch::Batched;
use sumac_test_support::{pool, spin};

fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// All kinds of callers at once, on workers and other threads; futures that give up; batches that
/// panic, of all sizes.
#[test]
fn everything_at_once() {
    /// Workers must not wait for futures: a worker has to lead their batch.
    fn caller(
        seed: u64,
        is_worker: bool,
        batched: &Batched<Probe>,
        [surely, perhaps]: [&AtomicI64; 2],
    ) {
        let mut random = Rng::with_seed(seed);
        let mut pending = Vec::new();
        let count = |ok: bool| if ok { surely } else { perhaps }.fetch_add(1, SeqCst);
        for _ in 0..60 {
            match random.u64(..12) {
                0..3 => {
                    count(batched.try_apply(Add(1)).is_ok());
                }
                3 => {
                    let ok = batched.try_with_mut(|probe| probe.sum += 1).is_ok();
                    count(ok);
                }
                4 => {
                    let n = 1 + random.usize(..40);
                    let ok = batched.try_apply_all(vec![Add(1); n]).is_ok();
                    for _ in 0..n {
                        count(ok);
                    }
                }
                5 => {
                    let pause = random.u64(..20);
                    let forks = act(move |probe, scope| {
                        let spin = || spin(Duration::from_micros(pause));
                        scope.join(|s| s.join(|_| spin(), |_| spin()), |_| spin());
                        probe.sum += 1;
                        0
                    });
                    count(batched.try_apply(forks).is_ok());
                }
                6..9 => {
                    let mut future = Box::pin(batched.try_submit(Add(1)));
                    match poll(future.as_mut()) {
                        Poll::Pending => pending.push(future),
                        Poll::Ready(result) => {
                            assert!(result.is_err(), "it needs a batch");
                        }
                    }
                }
                9 if !is_worker => {
                    if let Some(mut future) = pending.pop() {
                        until(|| match poll(future.as_mut()) {
                            Poll::Ready(result) => {
                                count(result.is_ok());
                                true
                            }
                            Poll::Pending => false,
                        });
                    }
                }
                9 | 10 => {
                    let given_up = pending.len() / 2;
                    perhaps.fetch_add(given_up as i64, SeqCst);
                    pending.truncate(pending.len() - given_up);
                }
                _ => {
                    let _ = batched.try_apply(act(|_, _| std::panic::resume_unwind(Box::new(1))));
                    batched.clear_poison();
                }
            }
        }
        perhaps.fetch_add(pending.len() as i64, SeqCst);
    }
    in_time("everything", || {
        for round in 0..if cfg!(miri) { 1 } else { 24 } {
            let pool = pool(1 + round % 3);
            let mut batched = Batched::new_in(&pool, Probe::default());
            if round % 2 == 1 {
                batched = batched.with_batch_limit(3);
            }
            let (surely, perhaps) = (AtomicI64::new(0), AtomicI64::new(0));
            thread::scope(|s| {
                for i in 0..3 {
                    let (batched, surely, perhaps) = (&batched, &surely, &perhaps);
                    s.spawn(move || {
                        caller(7 * round as u64 + i, false, batched, [surely, perhaps])
                    });
                }
                pool.install(|| {
                    let call = |seed| caller(seed, true, &batched, [&surely, &perhaps]);
                    let first = 1000 + 10 * round as u64;
                    sumac_core::join(
                        || sumac_core::join(|| call(first), || call(first + 1)),
                        || sumac_core::join(|| call(first + 2), || call(first + 3)),
                    );
                });
            });
            batched.clear_poison();
            let (surely, perhaps) = (surely.into_inner(), perhaps.into_inner());
            let sum = batched.into_inner().unwrap().sum;
            assert!(
                surely <= sum && sum <= surely + perhaps,
                "{surely} {sum} {perhaps}"
            );
        }
    });
}
