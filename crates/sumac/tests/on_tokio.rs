//! sumac under tokio: requests that a server's handlers would make, from tokio's workers, from
//! inside `block_in_place`, from `spawn_blocking`, as promises that are awaited, and as futures on
//! sumac's threads that use tokio's I/O. None is lost, and none waits for long behind the others.

use std::{
    future::{Future, poll_fn},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};

use sumac::{ThreadPool, join, prelude::*, spawn_async_in};
use sumac_test_support::{LONG, pool, within};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    runtime::{Builder, Handle, Runtime},
    task::{block_in_place, spawn_blocking},
};

const CLIENTS: usize = 100;
const REQUESTS: usize = if cfg!(debug_assertions) { 200 } else { 1_000 };

fn runtime() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    let builder = builder.worker_threads(4).enable_all();
    builder.build().expect("a runtime")
}

/// What a request computes: the sum of `0..count`.
fn compute(count: u64) -> u64 {
    fn sum(from: u64, to: u64) -> u64 {
        if to - from < 2 {
            return from;
        }
        let middle = from.midpoint(to);
        let (a, b) = join(|| sum(from, middle), || sum(middle, to));
        a + b
    }
    sum(0, count)
}

fn sum_of(count: u64) -> u64 {
    count * (count - 1) / 2
}

/// One request, in one of the ways there are.
async fn request(pool: &Arc<ThreadPool>, way: usize, count: u64) -> u64 {
    let here = Arc::clone(pool);
    match way % 6 {
        // Short: on tokio's worker itself, which helps sumac's threads meanwhile.
        0 => here.install(|| compute(count)),
        1 => block_in_place(|| here.install(|| compute(count))),
        2 => spawn_blocking(move || here.install(|| (0..count).into_par_iter().sum()))
            .await
            .expect("no panic"),
        3 => here.spawn(move || compute(count)).await,
        4 => {
            spawn_async_in(
                pool,
                async move { here.spawn(move || compute(count)).await },
            )
            .await
        }
        _ => {
            let task = here.spawn(move || compute(count));
            block_in_place(|| task.join())
        }
    }
}

#[test]
fn requests_of_all_kinds_are_answered() {
    within(LONG, "requests", || {
        let two = Arc::new(pool(2));
        let runtime = runtime();
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let two = Arc::clone(&two);
                runtime.spawn(async move {
                    let mut took = Vec::with_capacity(REQUESTS);
                    for nth in 0..REQUESTS {
                        let count = 1 + (client * 31 + nth * 17) as u64 % 200;
                        let start = Instant::now();
                        assert_eq!(request(&two, client + nth, count).await, sum_of(count));
                        took.push(start.elapsed());
                    }
                    took
                })
            })
            .collect();
        let mut took = Vec::new();
        for client in clients {
            took.extend(runtime.block_on(client).expect("no panic"));
        }
        assert_eq!(took.len(), CLIENTS * REQUESTS);
        took.sort_unstable();
        let (p50, p99) = (took[took.len() / 2], took[took.len() / 100 * 99]);
        let slowest = took[took.len() - 1];
        println!(
            "{} requests: p50 {p50:?}, p99 {p99:?}, max {slowest:?}",
            took.len()
        );
        assert!(
            slowest < Duration::from_secs(5),
            "one request took {slowest:?}"
        );
    });
}

/// A future that has the runtime around it wherever it is polled: what accepts, connects or sleeps
/// looks for the reactor there.
fn on<F: Future>(runtime: Handle, future: F) -> impl Future<Output = F::Output> {
    let mut future = Box::pin(future);
    poll_fn(move |context| {
        let _context = runtime.enter();
        future.as_mut().poll(context)
    })
}

/// Futures on sumac's threads read and write sockets that tokio's reactor watches.
#[test]
fn futures_on_sumac_use_sockets_of_tokio() {
    within(LONG, "sockets", || {
        let (two, runtime) = (pool(2), runtime());
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"));
        let listener = listener.expect("a free port");
        let address = listener.local_addr().expect("its address");
        let served = Arc::new(AtomicUsize::new(0));
        let server = {
            let served = Arc::clone(&served);
            let serve = async move {
                for _ in 0..20 {
                    let (mut stream, _) = listener.accept().await.expect("a client");
                    let count = stream.read_u64().await.expect("a request");
                    let answer = sumac::spawn(move || compute(count)).await;
                    stream.write_u64(answer).await.expect("it reads");
                    served.fetch_add(1, SeqCst);
                }
            };
            spawn_async_in(&two, on(runtime.handle().clone(), serve))
        };
        for count in 1..=20 {
            let answer = runtime.block_on(async {
                let mut stream = TcpStream::connect(address).await.expect("it listens");
                stream.write_u64(count).await.expect("it reads");
                stream.read_u64().await.expect("an answer")
            });
            assert_eq!(answer, sum_of(count));
        }
        server.join();
        assert_eq!(served.load(SeqCst), 20);
    });
}

/// A panic of a task comes out where its promise is awaited, and tokio makes an error of it.
#[test]
fn a_panic_becomes_an_error() {
    within(LONG, "a panic", || {
        let (two, runtime) = (pool(2), runtime());
        let task = two.spawn(|| -> u64 { panic!("no answer") });
        let error = runtime.block_on(runtime.spawn(task)).expect_err("a panic");
        let payload = error.into_panic();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"no answer"));
    });
}

/// A time limit around a promise gives up the wait, not the task.
#[test]
fn a_time_limit_ends_the_wait_alone() {
    within(LONG, "a time limit", || {
        let (two, runtime) = (pool(2), runtime());
        let ran = Arc::new(AtomicUsize::new(0));
        let (send, receive) = std::sync::mpsc::channel::<()>();
        let task = {
            let ran = Arc::clone(&ran);
            two.spawn(move || {
                receive.recv().expect("the test sends");
                ran.fetch_add(1, SeqCst);
            })
        };
        let limited = async { tokio::time::timeout(Duration::from_millis(20), task).await };
        assert!(runtime.block_on(limited).is_err(), "it cannot have ended");
        send.send(()).expect("the task waits");
        two.wait_until_stopped();
        assert_eq!(ran.load(SeqCst), 1);
    });
}
