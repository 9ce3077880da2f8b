//! Random programs that take results in order, beside std's iterators.

use std::{
    env,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};
use sumac::{in_place_scope, prelude::*};
use sumac_test_support::{LONG, POOLS, spin, throw, within};

/// How many random programs to try.
fn random_programs() -> u64 {
    let number = env::var("SUMAC_ORDERED").ok();
    number.map_or(1_000, |number| number.parse().expect("a number"))
}

/// A random program: what panics, how long items take, how many are taken.
#[derive(Clone, Debug)]
struct Program {
    bound: usize,
    panics: Vec<bool>,
    taken: usize,
    item_time: u64,
    pause: u64,
}

impl Program {
    fn random(seed: u64) -> Program {
        let mut random = fastrand::Rng::with_seed(seed);
        let len = random.usize(0..60);
        let often = random.u8(0..4);
        Program {
            bound: random.usize(0..10),
            panics: (0..len)
                .map(|_| often == 0 && random.u8(0..8) == 0)
                .collect(),
            taken: random.usize(0..2 * len + 2),
            item_time: random.u64(0..30),
            pause: random.u64(0..30),
        }
    }

    fn item(&self, i: usize) -> usize {
        spin(Duration::from_micros(self.item_time * (i as u64 % 4) / 3));
        if self.panics[i] { throw(i) } else { 3 * i }
    }

    /// What a consumer sees, which takes some items and drops the rest.
    fn seen(
        &self,
        used: &AtomicUsize,
        mut items: impl Iterator<Item = usize>,
    ) -> Vec<Result<Option<usize>, usize>> {
        let look = |_| {
            spin(Duration::from_micros(self.pause));
            let next = catch_unwind(AssertUnwindSafe(|| items.next()));
            used.fetch_add(1, SeqCst);
            next.map_err(|payload| *payload.downcast().expect("ours"))
        };
        (0..self.taken).map(look).collect()
    }
}

#[test]
fn random_programs_see_what_std_shows() {
    for seed in 0..random_programs() {
        within(LONG, "a random program", move || {
            let program = Program::random(seed);
            let len = program.panics.len();
            let unused = AtomicUsize::new(0);
            let wanted = program.seen(&unused, (0..len).map(|i| program.item(i)));
            let used = Arc::new(AtomicUsize::new(0));
            let item = {
                let (used, program) = (Arc::clone(&used), program.clone());
                move |i| {
                    assert!(
                        i <= used.load(SeqCst) + program.bound,
                        "{i} is too far ahead"
                    );
                    program.item(i)
                }
            };
            let run = || match seed % 3 {
                0 => {
                    let items = (0..len).into_par_iter().map(&item);
                    items.iter_ordered(program.bound, |items| program.seen(&used, items))
                }
                1 => in_place_scope(|s| {
                    let items = (0..len).par_map_ordered_in(s, program.bound, &item);
                    program.seen(&used, items)
                }),
                _ => {
                    let items = (0..len).par_map_ordered(program.bound, item.clone());
                    program.seen(&used, items)
                }
            };
            let seen = match seed / 3 % 4 {
                3 => run(),
                nth => POOLS[nth as usize].install(run),
            };
            assert_eq!(seen, wanted, "seed {seed}: {program:?}");
        });
    }
}
