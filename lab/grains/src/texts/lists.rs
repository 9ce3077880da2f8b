//! Sorts, sets and texts.

macro_rules! lists {
    () => {
        use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

        use crate::input::{Input, hash};

        /// Merge sort; the merges fork too.
        pub(crate) fn sort<const MODE: u8>(input: &Input) -> Vec<u64> {
            let mut numbers = input.numbers.clone();
            sort_slice::<MODE, _>(&mut numbers);
            numbers
        }

        fn sort_slice<const MODE: u8, T: Ord + Copy + Send + Sync>(v: &mut [T]) {
            let mut other = v.to_vec();
            sort_between::<MODE, T>(v, &mut other, false);
        }

        /// Sorts what `v` holds, into `other` if `there`.
        fn sort_between<const MODE: u8, T: Ord + Copy + Send + Sync>(
            v: &mut [T],
            other: &mut [T],
            there: bool,
        ) {
            if v.len() <= 1 {
                if there {
                    other.copy_from_slice(v);
                }
                return;
            }
            if MODE == TUNED && v.len() <= 4096 {
                return sort_between::<SEQUENTIAL, T>(v, other, there);
            }
            let middle = v.len() / 2;
            let (a, b) = v.split_at_mut(middle);
            let (c, d) = other.split_at_mut(middle);
            both::<MODE, _, _>(
                || sort_between::<MODE, T>(a, c, !there),
                || sort_between::<MODE, T>(b, d, !there),
            );
            if there {
                merge::<MODE, T>(a, b, other);
            } else {
                merge::<MODE, T>(c, d, v);
            }
        }

        /// Merges by halves of the longer one; one after the other below the tuned cut-off.
        fn merge<const MODE: u8, T: Ord + Copy + Send + Sync>(a: &[T], b: &[T], out: &mut [T]) {
            let (a, b) = if a.len() < b.len() { (b, a) } else { (a, b) };
            if MODE == SEQUENTIAL || MODE == TUNED && out.len() <= 4096 {
                let (mut i, mut j) = (0, 0);
                for to in out {
                    if j == b.len() || i < a.len() && a[i] <= b[j] {
                        *to = a[i];
                        i += 1;
                    } else {
                        *to = b[j];
                        j += 1;
                    }
                }
            } else if b.is_empty() {
                out.copy_from_slice(a);
            } else {
                let half = a.len() / 2;
                let below = b.partition_point(|x| *x < a[half]);
                let (left, right) = out.split_at_mut(half + below);
                let (pivot, right) = right.split_first_mut().expect("the pivot's place");
                *pivot = a[half];
                both::<MODE, _, _>(
                    || merge::<MODE, T>(&a[..half], &b[..below], left),
                    || merge::<MODE, T>(&a[half + 1..], &b[below..], right),
                );
            }
        }

        /// How often each lowest byte occurs.
        pub(crate) fn histogram<const MODE: u8>(input: &Input) -> Vec<u64> {
            let count = |mut counts: [u64; 256], x: &u64| {
                counts[*x as usize % 256] += 1;
                counts
            };
            let add = |mut a: [u64; 256], b: [u64; 256]| {
                a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
                a
            };
            let none = || [0; 256];
            let all = &input.numbers;
            let counts = match MODE {
                SEQUENTIAL | CALLS => all.iter().fold(none(), count),
                TUNED => {
                    let parts = all.par_chunks(1 << 14);
                    parts
                        .map(|part| part.iter().fold(none(), count))
                        .reduce(none, add)
                }
                _ => all.par_iter().fold(none, count).reduce(none, add),
            };
            counts.to_vec()
        }

        /// Doubles the length of the prefixes that are in order.
        pub(crate) fn suffixes<const MODE: u8>(input: &Input) -> Vec<u64> {
            let (text, n) = (&input.text, input.text.len());
            let mut rank = collect::<MODE, _>(n, 4096, |i| u32::from(text[i]) + 1);
            let mut length = 1;
            loop {
                let mut keys = collect::<MODE, _>(n, 2048, |i| {
                    let then = rank.get(i + length).copied().unwrap_or(0);
                    (u64::from(rank[i]) << 32 | u64::from(then), i as u32)
                });
                sort_slice::<MODE, _>(&mut keys);
                let mut last = 0;
                let mut before = None;
                let ranks: Vec<u32> = keys
                    .iter()
                    .map(|(key, _)| {
                        last += u32::from(before.replace(*key) != Some(*key));
                        last
                    })
                    .collect();
                let places = collect::<MODE, _>(n, 4096, |_| AtomicU32::new(0));
                each::<MODE>(n, 4096, |i| {
                    places[keys[i].1 as usize].store(ranks[i], Relaxed)
                });
                rank = collect::<MODE, _>(n, 4096, |i| places[i].load(Relaxed));
                if last as usize == n {
                    return collect::<MODE, _>(n, 4096, |i| u64::from(keys[i].1));
                }
                length *= 2;
            }
        }
    };
}
