//! Blocks of light and heavy items, and what is given away of them.

use super::*;
use crate::{
    iter::{IndexedParallelIterator, IntoParallelIterator},
    shape::Seal,
};
use std::{thread::sleep, time::Duration};
use sumac_core::splitting;

/// The sizes of the first blocks of a loop over 0..1000 whose first items take so long. No thread
/// asks for work.
fn first_blocks(heavy: usize, took: Duration) -> [usize; 3] {
    let indices = (0..1000_usize).into_par_iter().producer(Seal(()));
    let left = blocks::<_, Forward>(1000)(Rest::new(indices));
    let never = || None::<Rest<_>>;
    splitting(&never, &|_, _| (), |parts| {
        parts.look_at_clock();
        let (mut run, _) = left.begin(parts);
        [(); 3].map(|()| {
            let step = left.step(&mut run).expect("a thousand items are left");
            let size = step.positions;
            step.items.filter(|&i| i < heavy).for_each(|_| sleep(took));
            left.adapt(&mut run, parts);
            size
        })
    })
}

#[test]
fn an_item_that_may_have_taken_long_is_followed_by_a_single_one() {
    let took = Duration::from_millis(2);
    assert_eq!(first_blocks(1, took)[..2], [1, 1]);
    assert_eq!(first_blocks(2, took), [1, 1, 1]);
}

#[test]
#[cfg_attr(miri, ignore = "no item is light")]
fn light_loops_grow() {
    // A thread may be interrupted, but not each time.
    let grows = || first_blocks(0, Duration::ZERO).is_sorted_by(|a, b| a < b);
    assert!((0..100).any(|_| grows()));
}

#[test]
fn the_last_position_is_given_away_once_a_block_is_running() {
    let indices = (5..8_usize).into_par_iter().producer(Seal(()));
    let left = blocks::<_, Forward>(3)(Rest::new(indices));
    let split = || {
        let rest = left.split()?;
        Some((rest.position, rest.producer.iter(&()).collect::<Vec<_>>()))
    };
    assert_eq!(split(), Some((1, vec![6, 7])));
    assert_eq!(split(), None);
    left.begun.set(true);
    assert_eq!(split(), Some((0, vec![5])));
    assert_eq!(split(), None);
}
