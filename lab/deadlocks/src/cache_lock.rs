//! Views are drawn in parallel, and each asks a cache for its data. What the cache lacks is
//! computed under the cache's lock, in parallel as well. The thread that computes waits for a
//! part, and meanwhile begins to draw another view. So those think who found that it does not
//! hang without the outer loop.
//!
//! <https://github.com/rerun-io/rerun/pull/4968>

use std::collections::HashMap;
use std::sync::RwLock;

use rayon::prelude::*;

use crate::{Case, Owner, work};

pub(crate) const CASE: Case = Case {
    name: "cache-lock",
    source: "rerun-io/rerun#4968",
    waits: "reader: cache that the item below fills",
    rounds: 200,
    round,
};

fn round() {
    let cache = RwLock::new(HashMap::new());
    (0..64).into_par_iter().for_each(|view| match view % 4 {
        0 => assert_eq!(points(&cache, view / 8), 16),
        _ => work(),
    });
}

fn points(cache: &RwLock<HashMap<u32, usize>>, entity: u32) -> usize {
    if let Some(&points) = cache.read().expect("no panics").get(&entity) {
        return points;
    }
    let mut cache = cache.write().expect("no panics");
    *cache.entry(entity).or_insert_with(|| {
        let owner = Owner::here();
        (0..16).into_par_iter().inspect(|_| owner.part()).count()
    })
}
