//! Pieces of slices and strings are those of std.

use proptest::prelude::*;
use std::{
    fmt::Debug,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};
use sumac_par::prelude::*;
use sumac_test_support::{on_pools, with_steals, work};

/// The same items; and with each followed by some work, so that the loop is split.
fn check<T: Send + PartialEq + Debug>(
    parallel: impl ParallelIterator<Item = T>,
    sequential: impl Iterator<Item = T>,
) {
    assert_eq!(parallel.collect::<Vec<_>>(), sequential.collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn of_slices(v in prop::collection::vec(0..5_u8, 0..300), size in 1..40_usize) {
        let slow = |piece: &&[u8]| if piece.len() % 2 == 0 { work() };
        on_pools(|| {
            check(v.par_chunks(size), v.chunks(size));
            check(v.par_chunks_exact(size), v.chunks_exact(size));
            check(v.par_rchunks(size), v.rchunks(size));
            check(v.par_rchunks_exact(size), v.rchunks_exact(size));
            check(v.par_windows(size).map(|w| (slow(&w), w).1), v.windows(size));
            check(v.par_split(|x| *x == 1).map(|w| (slow(&w), w).1), v.split(|x| *x == 1));
            check(v.par_split_inclusive(|x| *x == 1).map(|w| (slow(&w), w).1), v.split_inclusive(|x| *x == 1));
            check(v.par_chunk_by(|a, b| a <= b).map(|w| (slow(&w), w).1), v.chunk_by(|a, b| a <= b));
            assert_eq!(v.par_chunks_exact(size).remainder(), v.chunks_exact(size).remainder());
            assert_eq!(v.par_rchunks_exact(size).remainder(), v.rchunks_exact(size).remainder());
        });
    }

    #[test]
    fn of_slices_mutably(v in prop::collection::vec(0..5_u8, 0..300), size in 1..40_usize) {
        macro_rules! all {
            ($(|$w:ident| $parallel:expr, $sequential:expr;)*) => {$({
                let (mut a, mut b) = (v.clone(), v.clone());
                { let $w = &mut a; $parallel.for_each(|piece: &mut [u8]| (work(), piece.rotate_left(piece.len().min(1))).1); }
                { let $w = &mut b; $sequential.for_each(|piece: &mut [u8]| piece.rotate_left(piece.len().min(1))); }
                assert_eq!(a, b);
            })*};
        }
        on_pools(|| {
            all! {
                |w| w.par_chunks_mut(size), w.chunks_mut(size);
                |w| w.par_chunks_exact_mut(size), w.chunks_exact_mut(size);
                |w| w.par_rchunks_mut(size), w.rchunks_mut(size);
                |w| w.par_rchunks_exact_mut(size), w.rchunks_exact_mut(size);
                |w| w.par_split_mut(|x| *x == 1), w.split_mut(|x| *x == 1);
                |w| w.par_split_inclusive_mut(|x| *x == 1), w.split_inclusive_mut(|x| *x == 1);
                |w| w.par_chunk_by_mut(|a, b| a <= b), w.chunk_by_mut(|a, b| a <= b);
            }
        });
    }

    #[test]
    fn of_strings(text in "[abß,;\u{1F600} \r\n]{0,200}") {
        on_pools(|| of_string(&text));
    }
}

fn of_string(t: &str) {
    fn slow<T>(item: T) -> T {
        work();
        item
    }
    check(t.par_chars().map(slow), t.chars());
    check(t.par_char_indices().map(slow), t.char_indices());
    check(t.par_bytes().map(slow), t.bytes());
    check(t.par_encode_utf16().map(slow), t.encode_utf16());
    check(t.par_lines().map(slow), t.lines());
    check(t.par_split_whitespace().map(slow), t.split_whitespace());
    check(
        t.par_split_ascii_whitespace().map(slow),
        t.split_ascii_whitespace(),
    );
    macro_rules! patterns {
        ($($pattern:expr;)*) => {$(
            let p = || $pattern;
            check(t.par_split(p()).map(slow), t.split(p()));
            check(t.par_split_inclusive(p()).map(slow), t.split_inclusive(p()));
            check(t.par_split_terminator(p()).map(slow), t.split_terminator(p()));
            check(t.par_matches(p()).map(slow), t.matches(p()));
            check(t.par_match_indices(p()).map(slow), t.match_indices(p()));
        )*};
    }
    patterns! {
        ',';
        'ß';
        [',', ';'];
        &['a', 'ß'];
        &[' ', ','][..];
        |c: char| c.is_alphabetic();
        "aß";
        "aa";
        ",a,";
        "a";
    }
}

#[test]
fn of_long_strings() {
    let text = "a,ß;aßaaa\u{1F600},,a,\r\n".repeat(20);
    with_steals(|| of_string(&text));
}

/// The first of many occurrences, although positions are only roughly right.
#[test]
fn the_first_piece_is_found() {
    let text = "word ".repeat(400);
    with_steals(|| {
        let first = text
            .par_match_indices("word")
            .find_first(|&(at, _)| (work(), at >= 1000).1);
        assert_eq!(first, Some((1000, "word")));
        let last = text
            .par_char_indices()
            .find_last(|&(at, c)| c == 'w' && (work(), at <= 1000).1);
        assert_eq!(last, Some((1000, 'w')));
    });
}

#[test]
#[should_panic = "chunks have elements"]
fn chunks_have_a_size() {
    let _ = [1].par_chunks(0);
}

#[test]
#[should_panic = "the pattern is empty"]
fn patterns_are_not_empty() {
    let _ = "a".par_split("");
}

#[test]
fn drained_strings() {
    on_pools(|| {
        let mut text = "größer als nichts ".repeat(50);
        let expected: String = text[4..100].chars().collect();
        let rest = text[..4].to_owned() + &text[100..];
        assert_eq!(text.par_drain(4..100).collect::<String>(), expected);
        assert_eq!(text, rest);
    });
}

/// A long line, as of a file without line breaks: by the splits once, and once for its piece.
#[test]
fn what_has_no_separator_is_searched_twice_at_most() {
    let text = "x".repeat(if cfg!(miri) { 500 } else { 50_000 });
    on_pools(|| {
        let looks = AtomicUsize::new(0);
        let separates = |char| {
            looks.fetch_add(1, Relaxed);
            char == '\n'
        };
        assert_eq!(text.par_split(separates).count(), 1);
        assert!(looks.into_inner() <= 2 * text.len());
    });
}
