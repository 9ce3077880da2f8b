//! Random trees with random panics, more threads than processors, compared with a plain
//! recursive program: the same sums, the same panics, in the same places.

use fastrand::Rng;
use std::panic::{AssertUnwindSafe, catch_unwind};

use sumac_test_support::{
    Cx, LONG, Ledger, Style, assert_usable, caught, enter, pool, throw, within,
};

/// What a node does follows from its seed alone.
struct Node {
    seed: u64,
    depth: u32,
}

enum Kind {
    Leaf(u64),
    Panics(u64),
    Fork {
        left: Node,
        right: Node,
        catches: bool,
    },
}

impl Node {
    fn kind(&self) -> Kind {
        let mut random = Rng::with_seed(self.seed);
        let dice = random.u64(..100);
        if self.depth == 0 || dice < 10 {
            return if dice % 10 == 1 {
                Kind::Panics(random.u64(..))
            } else {
                Kind::Leaf(random.u64(..1_000))
            };
        }
        let mut child = || Node {
            seed: random.u64(..),
            depth: self.depth - 1,
        };
        Kind::Fork {
            left: child(),
            right: child(),
            catches: dice < 30,
        }
    }
}

/// The sum of the leaves, or the payload of the leftmost panic that is not caught.
fn oracle(node: &Node) -> Result<u64, u64> {
    match node.kind() {
        Kind::Leaf(value) => Ok(value),
        Kind::Panics(payload) => Err(payload),
        Kind::Fork {
            left,
            right,
            catches,
        } => {
            let both = oracle(&left).and_then(|l| Ok(l.wrapping_add(oracle(&right)?)));
            if catches {
                Ok(both.unwrap_or_else(|payload| payload % 7))
            } else {
                both
            }
        }
    }
}

fn walk(cx: &mut Cx<'_, '_>, node: &Node, ledger: &Ledger) -> u64 {
    match node.kind() {
        Kind::Leaf(value) => value,
        Kind::Panics(payload) => throw(payload),
        Kind::Fork {
            left,
            right,
            catches,
        } => {
            let fork = || {
                let (a, b) = (ledger.token(), ledger.token());
                let ((l, _l), (r, _r)) = cx.join(
                    move |cx| (walk(cx, &left, ledger), a),
                    move |cx| (walk(cx, &right, ledger), b),
                );
                l.wrapping_add(r)
            };
            if catches {
                match catch_unwind(AssertUnwindSafe(fork)) {
                    Ok(sum) => sum,
                    Err(payload) => *payload.downcast::<u64>().expect("a payload of ours") % 7,
                }
            } else {
                fork()
            }
        }
    }
}

#[test]
fn random_trees_with_panics_agree_with_the_serial_program() {
    within(LONG, "random trees", || {
        let (mut sums, mut panics) = (0, 0);
        for threads in [1, 2, 8, 32] {
            let pool = pool(threads);
            for seed in 0..60 {
                let root = Node { seed, depth: 8 };
                let ledger = Ledger::new();
                for style in Style::ALL {
                    match oracle(&root) {
                        Ok(expected) => {
                            let sum = enter(style, &pool, |cx| walk(cx, &root, &ledger));
                            assert_eq!(sum, expected, "{threads} threads, seed {seed}");
                            sums += 1;
                        }
                        Err(expected) => {
                            let payload =
                                caught(|| enter(style, &pool, |cx| walk(cx, &root, &ledger)));
                            assert_eq!(payload.downcast_ref(), Some(&expected), "seed {seed}");
                            panics += 1;
                        }
                    }
                }
                let (made, dropped) = ledger.counts();
                assert_eq!(made, dropped, "{threads} threads, seed {seed}: drops");
            }
            assert_usable(&pool);
        }
        assert!(sums > 20 && panics > 20, "{sums} sums, {panics} panics");
    });
}
