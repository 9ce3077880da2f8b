//! Every problem's answer, on every contender and divided by hand, against a closed form.

use std::time::Duration;

use super::Problem;
use super::fib::Fib;
use super::leaves::{Leaves, Split};
use super::sha1_tree::Sha1Tree;
use super::spin::spin;
use super::tree::Tree;
use crate::contender::{Contender, Id, Visit, visit};
use crate::sample::Plan;

/// Solves it everywhere and compares with `answer`.
fn check<P: Problem>(problem: &P, answer: u64) {
    assert_eq!(problem.expected(), answer);
    for &id in Id::EVERYBODY {
        visit(id, Solve(problem));
    }
    for parts in 1..=9 {
        let sum = (0..parts).fold(0u64, |sum, p| sum.wrapping_add(problem.part(p, parts)));
        assert_eq!(sum, answer, "in {parts} parts");
    }
}

struct Solve<'p, P>(&'p P);

impl<P: Problem> Visit for Solve<'_, P> {
    type Out = ();

    fn visit<C: Contender + 'static>(self) {
        for threads in [1, 3] {
            let plan = Plan {
                warm: Duration::ZERO,
                pause: None,
                batch: 2,
                samples: 3,
                limit: None,
                gauge: None,
            };
            let pool = C::with_threads(threads).expect("three threads can be had");
            let samples = pool.run(self.0, &plan).expect("the answer is right");
            assert_eq!(samples.len(), 3);
        }
    }
}

#[test]
fn fib_is_fibonacci() {
    for (n, answer, forks) in [(2, 1, 1), (10, 55, 88), (15, 610, 986)] {
        check(&Fib(n), answer);
        assert_eq!(Fib(n).pieces(), forks);
    }
}

#[test]
fn a_perfect_tree_sums_to_gauss() {
    for k in 1..=10 {
        let n = (1 << k) - 1;
        check(&Tree::new(n), n * (n + 1) / 2);
    }
}

#[test]
fn a_balanced_tree_has_any_number_of_nodes() {
    for n in (1..40).chain([1000]) {
        let tree = Tree::new(n);
        assert_eq!(tree.pieces(), n);
        check(&tree, n * (n + 1) / 2);
    }
}

#[test]
fn units_of_work_are_digests() {
    check(&Sha1Tree::new(1000, 0), 500_500);
    // From `sha1sum` of the eight bytes of 1, little-endian.
    check(&Sha1Tree::new(1, 1), 0x3da8_9ee2_73be_1343);
    let (once, more) = (Sha1Tree::new(10, 1), Sha1Tree::new(10, 3));
    assert_ne!(once.expected(), more.expected());
    check(&once, once.expected());
    check(&more, more.expected());
}

#[test]
fn leaves_are_summed_once_each_under_every_split() {
    let splits = [
        Split::Halves,
        Split::Random,
        Split::LeafRest,
        Split::RestLeaf,
    ];
    for split in splits {
        let leaves = Leaves::of_rounds(37, 10, split);
        check(
            &leaves,
            (0..37).fold(0, |sum: u64, i| sum.wrapping_add(spin(10, i))),
        );
    }
}
