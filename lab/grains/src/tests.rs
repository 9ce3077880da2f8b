//! Slow and simple answers, and that all texts give them.

use std::collections::{BTreeSet, VecDeque};

use crate::input::{Input, Point};
use crate::programs::{CONTENDERS, PROGRAMS};

fn answer(name: &str, input: &Input) -> Vec<u64> {
    let graph = &input.graph;
    match name {
        "sort" => {
            let mut all = input.numbers.clone();
            all.sort_unstable();
            all
        }
        "histogram" => (0..256)
            .map(|kind| input.numbers.iter().filter(|x| **x % 256 == kind).count() as u64)
            .collect(),
        "search" => {
            let mut far = vec![u64::MAX; graph.len()];
            let mut queue: VecDeque<u32> = (0..graph.len().min(1) as u32).collect();
            far.iter_mut().take(1).for_each(|far| *far = 0);
            while let Some(v) = queue.pop_front() {
                for &to in graph.of(v) {
                    if far[to as usize] == u64::MAX {
                        far[to as usize] = far[v as usize] + 1;
                        queue.push_back(to);
                    }
                }
            }
            far
        }
        "forest" => vec![forest(input)],
        "hull" => hull(&input.points),
        "neighbours" => {
            let of = |i: usize| {
                let others = (0..input.points.len()).filter(|other| *other != i);
                let far = others.map(|other| {
                    let (a, b) = (input.points[i], input.points[other]);
                    a.x.abs_diff(b.x).pow(2) + a.y.abs_diff(b.y).pow(2)
                });
                far.min().unwrap_or(u64::MAX)
            };
            (0..input.points.len()).map(of).collect()
        }
        _ => panic!("no oracle for {name}"),
    }
}

/// Number of edges of a spanning forest.
fn forest(input: &Input) -> u64 {
    let mut names: Vec<u32> = (0..input.graph.len() as u32).collect();
    let mut taken = 0;
    for &(a, b) in &input.graph.edges {
        let (a, b) = (names[a as usize], names[b as usize]);
        if a != b {
            let of_b = names.iter_mut().filter(|name| **name == b);
            of_b.for_each(|name| *name = a);
            taken += 1;
        }
    }
    taken
}

/// By the monotone chain: upper half from the left, then the lower one from the right.
fn hull(points: &[Point]) -> Vec<u64> {
    let sorted: BTreeSet<Point> = points.iter().copied().collect();
    let half = |all: &mut dyn Iterator<Item = &Point>| {
        let mut corners: Vec<Point> = Vec::new();
        for &p in all {
            while let [.., a, b] = corners[..] {
                if (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) < 0 {
                    break;
                }
                corners.pop();
            }
            corners.push(p);
        }
        corners
    };
    let (mut all, below) = (half(&mut sorted.iter()), half(&mut sorted.iter().rev()));
    all.extend(below.iter().skip(1).take(below.len().saturating_sub(2)));
    all.iter()
        .map(|p| (p.x as u64) << 32 | p.y as u64)
        .collect()
}

fn check(input: &Input, what: &str) {
    for program in PROGRAMS {
        let right = answer(program.name, input);
        for (text, contender) in program.texts.iter().zip(CONTENDERS) {
            assert!(
                text(input) == right,
                "{}, {contender}, {what}",
                program.name
            );
        }
    }
}

#[test]
fn all_answers_are_right() {
    check(&Input::default(), "nothing");
    for items in [0, 1, 2, 3, 7, 64, 501] {
        check(&Input::random(items), &format!("{items} at random"));
        check(&Input::equal(items), &format!("{items} equal"));
    }
}

#[test]
fn cut_offs_are_passed() {
    check(&Input::random(6000), "6000 at random");
}
