//! Bounds of the speed-up, from work and span.

use super::Profile;
use std::fmt;

/// The multiple of the burdened span that a schedule of Cilk's kind takes, by the experience of
/// Cilkview's authors.
const SPAN_COEFFICIENT: f64 = 1.7;

/// Bounds of the expected speed-up; see [`Profile::speed_up`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SpeedUp {
    /// The speed-up that a scheduler should reach even if forks cost the burden.
    pub lower: f64,
    /// The speed-up that no scheduler can exceed.
    pub upper: f64,
}

impl Profile {
    /// Returns the expected speed-up over the sequential program on `workers` workers.
    ///
    /// The upper bound is the smaller of the number of workers and the
    /// [parallelism](Self::parallelism). The lower one is an estimate: on *P* workers the program
    /// takes *work / P* + 1.7 · (1 - 1 / *P*) · *burdened span*, or better. That is the formula of
    /// Cilkview (He, Leiserson and Leiserson, "The Cilkview scalability analyzer", SPAA 2010), as
    /// derived from the figures that it prints; 1.7 is its authors' experience, not a theorem.
    /// Neither considers memory bandwidth and contention.
    pub fn speed_up(&self, workers: usize) -> SpeedUp {
        let workers = workers.max(1) as f64;
        let upper = workers.min(self.parallelism());
        let (work, burdened) = (self.work.as_secs_f64(), self.burdened_span.as_secs_f64());
        let time = work / workers + SPAN_COEFFICIENT * (1.0 - 1.0 / workers) * burdened;
        let lower = if time > 0.0 { work / time } else { 1.0 };
        SpeedUp {
            lower: lower.min(upper),
            upper,
        }
    }
}

impl fmt::Display for SpeedUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} to {:.2}", self.lower, self.upper)
    }
}
