//! A bounding volume hierarchy over random boxes, as ray tracers and collision finders build it:
//! the longest axis is cut at the median, and the two halves are joined. Each cut is a sequential
//! selection, so the top is hard to share. The answer is the tree's cost by the surface-area
//! heuristic, compared bit by bit with the plain recursion's.

use std::array;

use super::random::fraction;
use super::work::Work;
use crate::contender::{Baseline, Contender};
use crate::problem::Problem;

/// The boxes in a leaf, at most.
const LEAF: usize = 4;

/// A box.
#[derive(Clone, Copy)]
struct Bounds {
    low: [f32; 3],
    high: [f32; 3],
}

impl Bounds {
    fn with(self, other: Bounds) -> Bounds {
        Bounds {
            low: array::from_fn(|axis| self.low[axis].min(other.low[axis])),
            high: array::from_fn(|axis| self.high[axis].max(other.high[axis])),
        }
    }

    fn extent(&self) -> [f32; 3] {
        array::from_fn(|axis| self.high[axis] - self.low[axis])
    }

    fn area(&self) -> f64 {
        let [x, y, z] = self.extent().map(f64::from);
        2.0 * (x * y + y * z + z * x)
    }

    fn centre(&self, axis: usize) -> f32 {
        self.low[axis] + self.high[axis]
    }
}

/// A hierarchy: the areas that a ray may hit, weighted with the work it finds there, and the parts.
struct Tree {
    cost: f64,
    _children: Option<Box<(Tree, Tree)>>,
}

fn build<C: Contender>(boxes: &mut [Bounds], cx: &mut C::Cx<'_>) -> Tree {
    let bounds = boxes.iter().fold(boxes[0], |all, one| all.with(*one));
    if boxes.len() <= LEAF {
        return Tree {
            cost: bounds.area() * boxes.len() as f64,
            _children: None,
        };
    }
    let extent = bounds.extent();
    let longest = |a: &usize, b: &usize| extent[*a].total_cmp(&extent[*b]);
    let axis = (0..3).max_by(longest).unwrap_or(0);
    let middle = boxes.len() / 2;
    boxes.select_nth_unstable_by(middle, |a, b| a.centre(axis).total_cmp(&b.centre(axis)));
    let (low, high) = boxes.split_at_mut(middle);
    let children = C::join(cx, |cx| build::<C>(low, cx), |cx| build::<C>(high, cx));
    Tree {
        cost: bounds.area() + children.0.cost + children.1.cost,
        _children: Some(Box::new(children)),
    }
}

/// Boxes in a cube.
pub(crate) struct Bvh {
    work: Work<Vec<Bounds>>,
    expected: u64,
}

impl Bvh {
    /// So many of them.
    pub(crate) fn new(size: usize) -> Bvh {
        let boxes = (0..size as u64).map(|number| {
            let part = |place| fraction(number * 6 + place as u64) as f32;
            let low = array::from_fn(part);
            let high = array::from_fn(|axis| low[axis] + part(3 + axis) * 0.01);
            Bounds { low, high }
        });
        let work = Work::new(boxes.collect::<Vec<_>>());
        let expected = build::<Baseline>(&mut work.initial().clone(), &mut ());
        Bvh {
            work,
            expected: expected.cost.to_bits(),
        }
    }
}

impl Problem for Bvh {
    fn solve<C: Contender>(&self, cx: &mut C::Cx<'_>) -> u64 {
        build::<C>(&mut self.work.lock(), cx).cost.to_bits()
    }

    fn expected(&self) -> u64 {
        self.expected
    }

    fn reset(&self) -> bool {
        self.work.reset();
        true
    }
}
