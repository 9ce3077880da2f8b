//! The loops, for libraries with rayon's interface.

macro_rules! texts {
    ($library:ident $($chunks:ident $n:literal)?) => {
        use $library::prelude::*;

        use std::collections::HashMap;

        use crate::work::{Answer, even, heavy, light, work};

        pub(crate) fn sum_light(v: &[u64]) -> u64 {
            v.par_iter().map(|x| light(*x)).filter(|x| x % 3 != 0).sum()
        }

        pub(crate) fn sum(v: &[u64]) -> u64 {
            let odd = v.par_iter().map(|x| work(*x)).filter(|x| x % 3 != 0);
            odd.map(|x| x >> 24).sum()
        }

        pub(crate) fn min(v: &[u64]) -> Option<u64> {
            v.par_iter().map(|x| work(*x)).min()
        }

        pub(crate) fn collect_light(v: &[u64]) -> Vec<u64> {
            v.par_iter().map(|x| light(*x)).collect()
        }

        pub(crate) fn collect(v: &[u64]) -> Vec<u64> {
            v.par_iter().map(|x| work(*x)).collect()
        }

        pub(crate) fn collect_range(items: usize) -> Vec<u64> {
            let all = (0..items).into_par_iter();
            all.map(|i| work(i as u64)).collect()
        }

        pub(crate) fn filter_light(v: &[u64]) -> Vec<u64> {
            let all = v.par_iter().map(|x| light(*x));
            all.filter(|x| x % 5 < 2).collect()
        }

        pub(crate) fn filter(v: &[u64]) -> Vec<u64> {
            let all = v.par_iter().map(|x| work(*x));
            all.filter(|x| x % 5 < 2).collect()
        }

        pub(crate) fn flat_map(v: &[u64]) -> Vec<u64> {
            let all = v.par_iter();
            all.flat_map_iter(|&x| (0..x % 8).map(move |i| work(x + i)))
                .collect()
        }

        pub(crate) fn strings(v: &[u64]) -> Vec<String> {
            let all = v.par_iter().map(|x| format!("{x}-{}", work(*x)));
            all.filter(|s| !s.ends_with('7')).collect()
        }

        pub(crate) fn find_first(v: &[u64], wanted: u64) -> Option<u64> {
            let all = v.par_iter().map(|x| work(*x));
            all.find_first(|x| *x == wanted)
        }

        pub(crate) fn find_any(v: &[u64], wanted: u64) -> Option<u64> {
            let all = v.par_iter().map(|x| work(*x));
            all.find_any(|x| *x == wanted)
        }

        pub(crate) fn sum_iterator(v: &[u64]) -> u64 {
            even(v).par_bridge()$(.$chunks($n))?.map(|x| heavy(x) >> 24).sum()
        }

        pub(crate) fn collect_iterator(v: &[u64]) -> Answer {
            Answer::Unordered(even(v).par_bridge()$(.$chunks($n))?.map(heavy).collect())
        }

        pub(crate) fn find_iterator(v: &[u64], wanted: u64) -> Option<u64> {
            let all = even(v).par_bridge()$(.$chunks($n))?.map(heavy);
            all.find_any(|x| *x == wanted)
        }

        pub(crate) fn reduce_map(map: &HashMap<u64, u64>) -> u64 {
            let all = map.iter().par_bridge()$(.$chunks($n))?.map(|(x, i)| light(x ^ i));
            all.filter(|x| x % 3 != 0).reduce(|| 0, |a, b| a ^ b)
        }
    };
}

pub(crate) mod by_rayon {
    texts!(rayon);
}

pub(crate) mod by_sumac {
    texts!(sumac by_chunks 64);
}
