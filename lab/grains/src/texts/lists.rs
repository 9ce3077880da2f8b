//! A sort and a histogram.

macro_rules! lists {
    () => {
        use crate::input::Input;

        /// Merge sort; the merges fork too.
        pub(crate) fn sort<const MODE: u8>(input: &Input) -> Vec<u64> {
            let mut numbers = input.numbers.clone();
            let mut other = numbers.clone();
            sort_between::<MODE>(&mut numbers, &mut other, false);
            numbers
        }

        /// Sorts what `v` holds, into `other` if `there`.
        fn sort_between<const MODE: u8>(v: &mut [u64], other: &mut [u64], there: bool) {
            if v.len() <= 1 {
                if there {
                    other.copy_from_slice(v);
                }
                return;
            }
            if MODE == TUNED && v.len() <= 4096 {
                return sort_between::<SEQUENTIAL>(v, other, there);
            }
            let middle = v.len() / 2;
            let (a, b) = v.split_at_mut(middle);
            let (c, d) = other.split_at_mut(middle);
            both::<MODE, _, _>(
                || sort_between::<MODE>(a, c, !there),
                || sort_between::<MODE>(b, d, !there),
            );
            if there {
                merge::<MODE>(a, b, other);
            } else {
                merge::<MODE>(c, d, v);
            }
        }

        /// Merges by halves of the longer one; one after the other below the tuned cut-off.
        fn merge<const MODE: u8>(a: &[u64], b: &[u64], out: &mut [u64]) {
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
                    || merge::<MODE>(&a[..half], &b[..below], left),
                    || merge::<MODE>(&a[half + 1..], &b[below..], right),
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
    };
}
