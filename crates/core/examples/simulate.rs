//! Programs of the lab's on simulated machines: `lab sim` builds and runs this. The pool and its
//! joins are the real ones, in the order that clocks decide (`src/explore/simulate.rs`); what else
//! a program does is time that passes. Prints a line of JSON for each number of workers.
//!
//! ```text
//! simulate PROGRAM SIZE PIECE CALLS SEED WORKERS,.. [PRICE=PICOSECONDS]..
//! ```
//! A program has so many nodes, calls or leaves, of so many picoseconds each. It is called so many
//! times, after a call that warms the pool up (of a million nodes at most).

#[cfg(not(explore))]
fn main() {
    eprintln!("this takes RUSTFLAGS=\"--cfg explore\"");
}

#[cfg(explore)]
fn main() -> Result<(), String> {
    explored::main()
}

#[cfg(explore)]
mod explored {
    use std::time::Instant;
    use sumac_core::{
        Scope, ThreadPoolBuilder,
        explore::simulate::{self, Prices, work},
    };

    /// How long a decoy works, as the lab's: eight rounds of arithmetic.
    const DECOY: u64 = 16_000;

    #[derive(Clone, Copy, Debug)]
    struct Program {
        shape: Shape,
        size: u64,
        /// The work of a node, a call or a leaf, in picoseconds.
        piece: u64,
    }

    #[derive(Clone, Copy, Debug)]
    enum Shape {
        /// A tree of so many nodes, a join at each.
        Tree,
        /// The Fibonacci number, a join at each call.
        Fib,
        /// Leaves below so many decoys, which come first or last.
        Leaves(Split, usize, bool),
    }

    /// How leaves are divided.
    #[derive(Clone, Copy, Debug)]
    enum Split {
        Halves,
        Random,
        LeafRest,
        RestLeaf,
    }

    impl Shape {
        fn named(name: &str) -> Option<Shape> {
            let decoys = |count, first| Shape::Leaves(Split::Halves, count, first);
            Some(match name {
                "tree" => Shape::Tree,
                "fib" => Shape::Fib,
                "leaves" => decoys(0, true),
                "random-leaves" => Shape::Leaves(Split::Random, 0, true),
                "leaf-rest" => Shape::Leaves(Split::LeafRest, 0, true),
                "rest-leaf" => Shape::Leaves(Split::RestLeaf, 0, true),
                "3-tiny-rest" => decoys(3, true),
                "3-rest-tiny" => decoys(3, false),
                "16-tiny-rest" => decoys(16, true),
                "16-rest-tiny" => decoys(16, false),
                _ => return None,
            })
        }
    }

    impl Program {
        /// Runs it, and returns the number of its pieces.
        fn run(self, scope: &mut Scope<'_>) -> u64 {
            match self.shape {
                Shape::Tree => self.tree(self.size, scope),
                Shape::Fib => self.fib(self.size, scope),
                Shape::Leaves(split, decoys, _) => self.above(decoys, split, scope),
            }
        }

        /// The time of the program without joins, in picoseconds.
        fn plain(self) -> u64 {
            let decoys = match self.shape {
                Shape::Leaves(_, decoys, _) => decoys as u64,
                _ => 0,
            };
            self.pieces() * self.piece + decoys * DECOY
        }

        fn pieces(self) -> u64 {
            match self.shape {
                Shape::Fib => (0..self.size).fold((1, 1), |(a, b), _| (b, a + b + 1)).0,
                _ => self.size,
            }
        }

        fn tree(self, nodes: u64, scope: &mut Scope<'_>) -> u64 {
            if nodes == 0 {
                return 0;
            }
            work(self.piece);
            let left = (nodes - 1) / 2;
            let right = nodes - 1 - left;
            let (a, b) = scope.join(|s| self.tree(left, s), |s| self.tree(right, s));
            a + b + 1
        }

        fn fib(self, n: u64, scope: &mut Scope<'_>) -> u64 {
            work(self.piece);
            if n < 2 {
                return 1;
            }
            let (a, b) = scope.join(|s| self.fib(n - 1, s), |s| self.fib(n - 2, s));
            a + b + 1
        }

        fn above(self, left: usize, split: Split, scope: &mut Scope<'_>) -> u64 {
            if left == 0 {
                return self.below(0, self.size, split, scope);
            }
            let decoy = |_: &mut Scope<'_>| work(DECOY);
            let rest = |s: &mut Scope<'_>| self.above(left - 1, split, s);
            match self.shape {
                Shape::Leaves(_, _, false) => scope.join(rest, decoy).0,
                _ => scope.join(decoy, rest).1,
            }
        }

        fn below(self, low: u64, high: u64, split: Split, scope: &mut Scope<'_>) -> u64 {
            if high - low == 1 {
                work(self.piece);
                return 1;
            }
            let middle = match split {
                Split::Halves => low + (high - low) / 2,
                Split::Random => low + 1 + (mix(low << 32 | high) >> 1) % (high - low - 1),
                Split::LeafRest => low + 1,
                Split::RestLeaf => high - 1,
            };
            let (a, b) = scope.join(
                |s| self.below(low, middle, split, s),
                |s| self.below(middle, high, split, s),
            );
            a + b
        }
    }

    /// The lab's random number for `x`, so that leaves are divided as there.
    fn mix(mut x: u64) -> u64 {
        x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    pub(super) fn main() -> Result<(), String> {
        let words: Vec<String> = std::env::args().skip(1).collect();
        let [name, size, piece, calls, seed, workers, prices @ ..] = &words[..] else {
            return Err("PROGRAM SIZE PIECE CALLS SEED WORKERS,.. [PRICE=PICOSECONDS]..".into());
        };
        let number = |text: &str| text.parse().map_err(|why| format!("{text}: {why}"));
        let program = Program {
            shape: Shape::named(name).ok_or_else(|| format!("no program {name}"))?,
            size: number(size)?,
            piece: number(piece)?,
        };
        let (calls, seed) = (number(calls)?, number(seed)?);
        let mut set = Prices::default();
        for price in prices {
            let (name, picos) = price.split_once('=').unwrap_or((price, ""));
            if !set.set(name, number(picos)?) {
                return Err(format!("no price {name}"));
            }
        }
        for workers in workers.split(',') {
            let workers = number(workers)? as usize;
            let start = Instant::now();
            let run = move || simulated(program, workers, calls);
            let (times, counted) = simulate::run(seed, workers, set, run)?;
            let seconds = start.elapsed().as_secs_f64();
            let plain = program.plain() / 1000;
            let prices = format!("{set:?}");
            println!(
                "{{\"simulated\":true,\"program\":\"{name}\",\"size\":{size},\"piece\":{piece},\
                \"workers\":{workers},\"seed\":{seed},\"plain\":{plain},\"times\":{times:?},\
                {counted},\"prices\":{prices:?},\"real_seconds\":{seconds:.1}}}",
            );
        }
        Ok(())
    }

    /// The times of so many calls, and what the scheduler counted in all of them.
    fn simulated(program: Program, workers: usize, calls: u64) -> (Vec<u64>, String) {
        let builder = ThreadPoolBuilder::new().num_threads(workers);
        let pool = builder.build().expect("a pool");
        let mut scope = pool.scope();
        let mut call = |program: Program| {
            let start = simulate::now();
            let pieces = program.run(&mut scope);
            assert_eq!(pieces, program.pieces(), "each piece runs once");
            simulate::now() - start
        };
        let size = program.size.min(1_000_000);
        call(Program { size, ..program });
        let before = pool.stats();
        let times = (0..calls).map(|_| call(program)).collect();
        let after = pool.stats();
        let counted = [
            ("promotions", after.promotions - before.promotions),
            ("steals", after.steals - before.steals),
            ("wakes", after.wakes - before.wakes),
            ("searching", after.searching - before.searching),
            ("parked", after.parked - before.parked),
        ];
        let counted = counted.map(|(name, count)| format!("\"{name}\":{count}"));
        (times, counted.join(","))
    }
}
