//! saxpy: `y += a * x` in place, two streams in and one out. The hand-written split works on
//! stripes of `y` in vectors of their own. The numbers are whole and small, so nothing is rounded.

use super::random::{digest, scatter};
use super::share;
use super::work::Work;
use super::{by_library, each_library};
use crate::contender::Contender;
use crate::problem::Problem;

const A: f32 = 3.0;
/// Stripes for the hand-written split.
const STRIPES: usize = 64;
/// What a part of the hand-written split returns.
const SPLIT: u64 = 1;

/// Two vectors.
pub(crate) struct Saxpy {
    x: Vec<f32>,
    y: Work<Vec<f32>>,
    stripes: Vec<Work<Vec<f32>>>,
    expected: u64,
}

impl Saxpy {
    /// Of this length.
    pub(crate) fn new(size: usize) -> Saxpy {
        let vector = |from: u64| -> Vec<f32> {
            let numbers = (0..size as u64).map(|n| scatter(n + from) % 64);
            numbers.map(|n| n as f32).collect()
        };
        let (x, y) = (vector(0), vector(1 << 40));
        let stripe = |n| Work::new(y[share(size, n, STRIPES)].to_vec());
        Saxpy {
            expected: bits(x.iter().zip(&y).map(|(x, y)| y + A * x)),
            stripes: (0..STRIPES).map(stripe).collect(),
            x,
            y: Work::new(y),
        }
    }
}

fn bits(values: impl Iterator<Item = f32>) -> u64 {
    digest(values.map(|value| u64::from(value.to_bits())))
}

fn saxpy(x: &[f32], y: &mut [f32]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += A * x);
}

each_library! {
    pub(super) fn saxpy(x: &[f32], y: &mut [f32]) {
        y.par_iter_mut().zip(x).for_each(|(y, x)| *y += A * x);
    }
}

impl Problem for Saxpy {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        by_library!(C => saxpy(&self.x, &mut self.y.lock()));
        0
    }

    fn part(&self, part: usize, parts: usize) -> u64 {
        for n in share(STRIPES, part, parts) {
            let x = &self.x[share(self.x.len(), n, STRIPES)];
            saxpy(x, &mut self.stripes[n].lock());
        }
        SPLIT
    }

    fn expected(&self) -> u64 {
        self.expected
    }

    fn in_place(&self) -> bool {
        true
    }

    fn reset(&self) {
        self.y.reset();
        self.stripes.iter().for_each(Work::reset);
    }

    fn answer(&self, returned: u64) -> u64 {
        if returned < SPLIT {
            return bits(self.y.lock().iter().copied());
        }
        bits(self.stripes.iter().flat_map(|stripe| stripe.lock().clone()))
    }
}
