//! Many light items and a heavy one among them that lasts as long as all the others together, at
//! the front, in the middle or at the end. Ideally one thread does it while the others do the rest.

use std::time::Duration;

use super::library::{Loop, each_library, texts};
use crate::problem::spin::{rounds_for, spin};

/// A light item.
const LIGHT: Duration = Duration::from_micros(5);

/// So many light items, each with its rounds, and the heavy one at this place.
pub(super) fn heavy(size: usize, place: usize) -> Loop<[u64]> {
    let light = rounds_for(LIGHT);
    let mut items = vec![light; size];
    items.insert(place, light * size as u64);
    let expected = work(&items);
    Loop::new(items, texts!(work), expected)
}

fn item(rounds: &u64) -> u64 {
    spin(*rounds, *rounds) >> 32
}

fn work(items: &[u64]) -> u64 {
    items.iter().map(item).sum()
}

each_library! {
    pub(super) fn work(items: &[u64]) -> u64 {
        items.par_iter().map(item).sum()
    }
}
