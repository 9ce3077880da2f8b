//! Quickhull: the convex hull of points in a disc. Parallel loops find the point furthest from a
//! line and those beyond it, and a join goes on with the two sides that this makes. The oracle
//! walks along the points sorted (Andrew's monotone chain); the answer is a sum over the corners.

use std::cmp::Ordering;

use super::random::{digest, fraction};
use super::{by_library, each_library};
use crate::contender::Contender;
use crate::problem::Problem;

/// Whole numbers, so that nothing is rounded.
type Point = (i64, i64);

/// Points in a disc.
pub(crate) struct Hull {
    points: Vec<Point>,
    expected: u64,
}

impl Hull {
    /// So many of them.
    pub(crate) fn new(size: usize) -> Hull {
        let point = |n: u64| {
            let angle = fraction(2 * n) * std::f64::consts::TAU;
            let radius = fraction(2 * n + 1).sqrt() * 1e6;
            ((angle.cos() * radius) as i64, (angle.sin() * radius) as i64)
        };
        let points: Vec<Point> = (0..size as u64).map(point).collect();
        let mut sorted = points.clone();
        sorted.sort_unstable();
        let mut expected = chain(sorted.iter());
        expected = expected.wrapping_add(chain(sorted.iter().rev()));
        Hull { points, expected }
    }
}

fn corner(point: Point) -> u64 {
    digest([point.0 as u64, point.1 as u64])
}

/// How far a point is to the left of a line, times the line's length.
fn left_of((a, b): (Point, Point), point: Point) -> i64 {
    (b.0 - a.0) * (point.1 - a.1) - (b.1 - a.1) * (point.0 - a.0)
}

/// The corners of one side, the last point of all left out.
fn chain<'p>(points: impl Iterator<Item = &'p Point>) -> u64 {
    let mut chain: Vec<Point> = Vec::new();
    for &point in points {
        while let [.., a, b] = chain[..] {
            if left_of((a, b), point) > 0 {
                break;
            }
            chain.pop();
        }
        if chain.last() != Some(&point) {
            chain.push(point);
        }
    }
    chain.pop();
    chain
        .into_iter()
        .fold(0, |sum, point| sum.wrapping_add(corner(point)))
}

/// The one further to the left; of two that are as far, one that is a corner if any of them is.
fn further(line: (Point, Point), a: Point, b: Point) -> Point {
    match left_of(line, a).cmp(&left_of(line, b)).then(a.cmp(&b)) {
        Ordering::Less => b,
        _ => a,
    }
}

fn hull(points: &[Point]) -> u64 {
    let min = points.iter().copied().fold(points[0], Point::min);
    let max = points.iter().copied().fold(points[0], Point::max);
    let above = side(points, (min, max));
    corner(min)
        .wrapping_add(corner(max))
        .wrapping_add(above)
        .wrapping_add(side(points, (max, min)))
}

/// The corners between the ends of a line, to its left.
fn side(points: &[Point], line: (Point, Point)) -> u64 {
    let beyond = |point: &Point| left_of(line, *point) > 0;
    let points: Vec<Point> = points.iter().copied().filter(beyond).collect();
    if points.is_empty() {
        return 0;
    }
    let top = points
        .iter()
        .copied()
        .fold(points[0], |a, b| further(line, a, b));
    let (first, second) = (side(&points, (line.0, top)), side(&points, (top, line.1)));
    corner(top).wrapping_add(first).wrapping_add(second)
}

each_library! {
    pub(super) fn hull(points: &[Point]) -> u64 {
        let min = points.par_iter().copied().reduce(|| points[0], Point::min);
        let max = points.par_iter().copied().reduce(|| points[0], Point::max);
        let (above, below) = lib::join(|| side(points, (min, max)), || side(points, (max, min)));
        corner(min).wrapping_add(corner(max)).wrapping_add(above).wrapping_add(below)
    }

    fn side(points: &[Point], line: (Point, Point)) -> u64 {
        let beyond = |point: &Point| left_of(line, *point) > 0;
        let points: Vec<Point> = points.par_iter().copied().filter(beyond).collect();
        if points.is_empty() {
            return 0;
        }
        let top = points.par_iter().copied().reduce(|| points[0], |a, b| further(line, a, b));
        let (first, second) = lib::join(|| side(&points, (line.0, top)), || side(&points, (top, line.1)));
        corner(top).wrapping_add(first).wrapping_add(second)
    }
}

impl Problem for Hull {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        by_library!(C => hull(&self.points))
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}
