//! A pipeline of tasks over channels: numbers go in, the primes among them come out.
//!
//! sumac brings no channels of its own: any async channel does. A task that waits for one holds no
//! worker, so there may be many more tasks than threads, and the bounds of the channels keep the
//! fast ones from running away from the slow.
//!
//!     cargo run --release -p sumac --example 6_channels

use sumac::{Promise, spawn_async};

const FILTERS: usize = 64;
const NUMBERS: u64 = 50_000;

fn is_prime(n: u64) -> bool {
    n > 1 && (2..).take_while(|d| d * d <= n).all(|d| n % d != 0)
}

fn main() {
    let (numbers, to_test) = async_channel::bounded(16);
    let (found, primes) = async_channel::bounded(16);

    spawn_async(async move {
        for n in 0..NUMBERS {
            numbers.send(n).await.expect("the filters are there");
        }
    });
    let filters: Vec<Promise<usize>> = (0..FILTERS)
        .map(|_| {
            let (to_test, found) = (to_test.clone(), found.clone());
            spawn_async(async move {
                let mut tested = 0;
                while let Ok(n) = to_test.recv().await {
                    tested += 1;
                    if is_prime(n) {
                        found.send(n).await.expect("a task counts");
                    }
                }
                tested
            })
        })
        .collect();
    drop(found);
    let count = spawn_async(async move {
        let mut count = 0;
        while primes.recv().await.is_ok() {
            count += 1;
        }
        count
    });

    let tested: usize = filters.into_iter().map(Promise::join).sum();
    let count = count.join();
    assert_eq!((count, tested), (5_133, NUMBERS as usize));
    println!("{count} primes among {tested} numbers, by {FILTERS} tasks");
}
