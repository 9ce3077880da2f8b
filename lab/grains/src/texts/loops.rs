//! The forks and loops that the programs consist of.

macro_rules! loops {
    ($library:ident) => {
        use crate::texts::{CALLS, SEQUENTIAL, TUNED};

        /// Does both.
        fn both<const MODE: u8, A: Send, B: Send>(
            a: impl FnOnce() -> A + Send,
            b: impl FnOnce() -> B + Send,
        ) -> (A, B) {
            match MODE {
                SEQUENTIAL | CALLS => (a(), b()),
                _ => $library::join(a, b),
            }
        }

        /// What `f` gives for each number below `n`.
        fn collect<const MODE: u8, R: Send>(
            n: usize,
            grain: usize,
            f: impl Fn(usize) -> R + Sync + Send,
        ) -> Vec<R> {
            let all = (0..n).into_par_iter();
            match MODE {
                SEQUENTIAL | CALLS => (0..n).map(f).collect(),
                TUNED => all.with_min_len(grain).map(f).collect(),
                _ => all.map(f).collect(),
            }
        }

        /// What `f` gives for the numbers below `n` for which it gives anything.
        fn pack<const MODE: u8, R: Send>(
            n: usize,
            grain: usize,
            f: impl Fn(usize) -> Option<R> + Sync + Send,
        ) -> Vec<R> {
            let all = (0..n).into_par_iter();
            match MODE {
                SEQUENTIAL | CALLS => (0..n).filter_map(f).collect(),
                TUNED => all.with_min_len(grain).filter_map(f).collect(),
                _ => all.filter_map(f).collect(),
            }
        }

        /// The greatest that `f` gives for a number below `n`.
        fn most<const MODE: u8, R: Ord + Send>(
            n: usize,
            grain: usize,
            f: impl Fn(usize) -> R + Sync + Send,
        ) -> Option<R> {
            let all = (0..n).into_par_iter();
            match MODE {
                SEQUENTIAL | CALLS => (0..n).map(f).max(),
                TUNED => all.with_min_len(grain).map(f).max(),
                _ => all.map(f).max(),
            }
        }

        /// Runs it where the library's threads are: on rayon, a program that is called from
        /// elsewhere would go there for each loop.
        pub(crate) fn inside<R: Send>(f: impl FnOnce() -> R + Send) -> R {
            $library::scope(|_| f())
        }
    };
}
