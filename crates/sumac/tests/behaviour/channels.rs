//! Channels between tasks: more producers and consumers than workers, bounded, unbounded and
//! without any room; the blocked ones hold no worker.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::Duration,
};

use sumac::{ThreadPool, spawn_async_in};
use sumac_test_support::{LONG, pool, within};

const EACH: usize = 200;

/// Joins so many producers and consumers of a channel.
macro_rules! traffic {
    ($pool:expr, $sides:expr, $channel:expr) => {{
        let (pool, (producers, consumers)): (&ThreadPool, (usize, usize)) = ($pool, $sides);
        let (send, receive) = $channel;
        let makers: Vec<_> = (0..producers)
            .map(|p| {
                let send = send.clone();
                spawn_async_in(pool, async move {
                    for i in 0..EACH {
                        send.give(p * EACH + i).await;
                    }
                })
            })
            .collect();
        drop(send);
        let takers: Vec<_> = (0..consumers)
            .map(|_| {
                let receive = receive.clone();
                spawn_async_in(pool, async move {
                    let mut got = Vec::new();
                    while let Some(item) = receive.take_next().await {
                        got.push(item);
                    }
                    got
                })
            })
            .collect();
        drop(receive);
        makers.into_iter().for_each(|maker| maker.join());
        let mut all: Vec<usize> = takers.into_iter().flat_map(|taker| taker.join()).collect();
        all.sort();
        assert!(all.into_iter().eq(0..producers * EACH));
    }};
}

/// What both crates' channels can do.
trait Give {
    fn give(&self, item: usize) -> impl Future<Output = ()> + Send;
}

trait Take {
    fn take_next(&self) -> impl Future<Output = Option<usize>> + Send;
}

impl Give for async_channel::Sender<usize> {
    async fn give(&self, item: usize) {
        self.send(item).await.expect("a task receives");
    }
}

impl Take for async_channel::Receiver<usize> {
    async fn take_next(&self) -> Option<usize> {
        self.recv().await.ok()
    }
}

impl Give for flume::Sender<usize> {
    async fn give(&self, item: usize) {
        self.send_async(item).await.expect("a task receives");
    }
}

impl Take for flume::Receiver<usize> {
    async fn take_next(&self) -> Option<usize> {
        self.recv_async().await.ok()
    }
}

const SIDES: [(usize, usize); 4] = [(1, 1), (20, 1), (1, 20), (16, 16)];

#[test]
fn everything_sent_is_received_once() {
    within(LONG, "channels", || {
        for threads in [1, 2, 4] {
            let pool = pool(threads);
            for sides in SIDES {
                traffic!(&pool, sides, async_channel::unbounded());
                traffic!(&pool, sides, async_channel::bounded(1));
                traffic!(&pool, sides, async_channel::bounded(7));
                traffic!(&pool, sides, flume::unbounded());
                traffic!(&pool, sides, flume::bounded(0));
                traffic!(&pool, sides, flume::bounded(3));
            }
        }
    });
}

#[test]
fn blocked_tasks_hold_no_worker() {
    within(LONG, "blocked", || {
        for threads in [1, 2] {
            let pool = pool(threads);
            let (send, receive) = async_channel::bounded::<usize>(1);
            let received = Arc::new(AtomicUsize::new(0));
            let blocked: Vec<_> = (0..50)
                .map(|_| {
                    let (receive, received) = (receive.clone(), Arc::clone(&received));
                    spawn_async_in(&pool, async move {
                        received.fetch_add(receive.recv().await.expect("an item"), SeqCst);
                    })
                })
                .collect();
            thread::sleep(Duration::from_millis(5));
            assert_eq!(pool.spawn(|| 3).join(), 3);
            assert_eq!(received.load(SeqCst), 0);
            // A blocking sender outside, tasks inside.
            for _ in 0..50 {
                send.send_blocking(1).expect("a task receives");
            }
            blocked.into_iter().for_each(|task| task.join());
            assert_eq!(received.load(SeqCst), 50);
        }
    });
}
