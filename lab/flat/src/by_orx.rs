//! The loops by orx-parallel.

use std::collections::HashMap;

use orx_parallel::*;

use crate::work::{Answer, even, heavy, light, work};

/// The same loops as elsewhere, on so many threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Orx(pub(crate) usize);

impl Orx {
    pub(crate) fn sum_light(self, v: &[u64]) -> u64 {
        let all = v.par().num_threads(self.0).map(|x| light(*x));
        all.filter(|x| x % 3 != 0).sum()
    }

    pub(crate) fn sum(self, v: &[u64]) -> u64 {
        let all = v.par().num_threads(self.0).map(|x| work(*x));
        all.filter(|x| x % 3 != 0).map(|x| x >> 24).sum()
    }

    pub(crate) fn min(self, v: &[u64]) -> Option<u64> {
        v.par().num_threads(self.0).map(|x| work(*x)).min()
    }

    pub(crate) fn collect_light(self, v: &[u64]) -> Vec<u64> {
        v.par().num_threads(self.0).map(|x| light(*x)).collect()
    }

    pub(crate) fn collect(self, v: &[u64]) -> Vec<u64> {
        v.par().num_threads(self.0).map(|x| work(*x)).collect()
    }

    pub(crate) fn collect_range(self, items: usize) -> Vec<u64> {
        let all = (0..items).par().num_threads(self.0);
        all.map(|i| work(i as u64)).collect()
    }

    pub(crate) fn filter_light(self, v: &[u64]) -> Vec<u64> {
        let all = v.par().num_threads(self.0).map(|x| light(*x));
        all.filter(|x| x % 5 < 2).collect()
    }

    pub(crate) fn filter(self, v: &[u64]) -> Vec<u64> {
        let all = v.par().num_threads(self.0).map(|x| work(*x));
        all.filter(|x| x % 5 < 2).collect()
    }

    pub(crate) fn flat_map(self, v: &[u64]) -> Vec<u64> {
        let all = v.par().num_threads(self.0);
        all.flat_map(|&x| (0..x % 8).map(move |i| work(x + i)))
            .collect()
    }

    pub(crate) fn strings(self, v: &[u64]) -> Vec<String> {
        let all = v.par().num_threads(self.0);
        let all = all.map(|x| format!("{x}-{}", work(*x)));
        all.filter(|s| !s.ends_with('7')).collect()
    }

    /// The first: any comes with another order of iteration, which is none of a program's business.
    pub(crate) fn find_first(self, v: &[u64], wanted: u64) -> Option<u64> {
        let all = v.par().num_threads(self.0).map(|x| work(*x));
        all.find(|x| *x == wanted)
    }

    pub(crate) fn sum_iterator(self, v: &[u64]) -> u64 {
        self.unordered(even(v)).map(|x| heavy(x) >> 24).sum()
    }

    pub(crate) fn collect_iterator(self, v: &[u64]) -> Answer {
        Answer::Unordered(self.unordered(even(v)).map(heavy).collect())
    }

    pub(crate) fn find_iterator(self, v: &[u64], wanted: u64) -> Option<u64> {
        let all = self.unordered(even(v)).map(heavy);
        all.find(|x| *x == wanted)
    }

    pub(crate) fn reduce_map(self, map: &HashMap<u64, u64>) -> u64 {
        let all = self.unordered(map.iter()).map(|(x, i)| light(x ^ i));
        let answer = all.filter(|x| x % 3 != 0).reduce(|a, b| a ^ b);
        answer.unwrap_or_default()
    }

    /// The items in any order, as the other libraries' bridges give them.
    fn unordered<I: Iterator<Item: Send + Sync>>(self, all: I) -> impl Par<Item = I::Item> {
        let all = all.iter_into_par().num_threads(self.0);
        all.iteration_order(IterationOrder::Arbitrary)
    }
}
