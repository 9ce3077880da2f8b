//! The loops by orx-parallel.

use orx_parallel::*;

use crate::work::{heavy, light, work};

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

    pub(crate) fn reduce_range(self, items: usize) -> u64 {
        let all = (0..items).par().num_threads(self.0);
        let answer = all.map(|i| work(i as u64)).reduce(|a, b| a ^ b);
        answer.unwrap_or_default()
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

    pub(crate) fn iterator(self, v: &[u64]) -> u64 {
        let even = v.iter().filter(|x| **x % 2 == 0);
        let all = even.iter_into_par().num_threads(self.0);
        all.map(|x| heavy(*x) >> 24).sum()
    }
}
