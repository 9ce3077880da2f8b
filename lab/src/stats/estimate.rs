//! How sure a median is, and a ratio of two. Samples of one visit resemble each other more than
//! samples of different visits do: a process has its own pages and addresses, and luck. So the
//! bootstrap draws visits first, then samples within each of them, and takes the median of all;
//! what counts is how far the logarithms of these medians spread. Few visits show too little of it,
//! which is put right by n/(n-1) and Student's t with Welch's degrees of freedom. A ratio's
//! interval follows from the spreads of both sides. With a single visit only the spread within it
//! is known.

use rand::RngExt;
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::quantile;
use crate::program::random::Random;

/// How often the bootstrap draws.
const DRAWS: usize = 400;
/// From this many samples in a visit on, it is drawn from evenly spaced quantiles of it.
const MOST_SAMPLES: usize = 101;
/// Smaller errors are those of the arithmetic.
const NOTHING: f64 = 1e-9;
/// An interval holds the true ratio with this probability.
const CONFIDENCE: f64 = 0.95;

/// A median with what is known about its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    /// The median of all samples.
    pub(crate) median: f64,
    /// The standard error of the median's logarithm.
    error: f64,
    /// The degrees of freedom of that.
    freedom: f64,
}

/// A ratio of two medians with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ratio {
    /// The ratio.
    pub(crate) value: f64,
    /// The interval's lower end.
    pub(crate) low: f64,
    /// The interval's upper end.
    pub(crate) high: f64,
}

impl Estimate {
    /// Estimates from at least one visit with at least one sample. The same samples give the same
    /// estimate.
    pub(crate) fn of(visits: &[&[f64]]) -> Estimate {
        let thinned: Vec<Vec<f64>> = visits.iter().map(|visit| thin(visit)).collect();
        let mut random = Random::new();
        let mut pooled = Vec::new();
        let mut logarithms = Vec::with_capacity(DRAWS);
        for _ in 0..DRAWS {
            pooled.clear();
            for _ in 0..thinned.len() {
                let visit = &thinned[random.random_range(0..thinned.len())];
                let draw = |_| visit[random.random_range(0..visit.len())];
                pooled.extend((0..visit.len()).map(draw));
            }
            logarithms.push(median(&mut pooled).max(f64::MIN_POSITIVE).ln());
        }
        let mean = logarithms.iter().sum::<f64>() / DRAWS as f64;
        let square = |x: &f64| (x - mean) * (x - mean);
        let variance = logarithms.iter().map(square).sum::<f64>() / (DRAWS - 1) as f64;
        let n = match visits {
            [alone] => alone.len(),
            several => several.len(),
        };
        let freedom = (n.max(2) - 1) as f64;
        let mut all = visits.concat();
        Estimate {
            median: median(&mut all),
            error: (variance * (freedom + 1.0) / freedom).sqrt(),
            freedom,
        }
    }
}

impl Ratio {
    /// `this` over `to`.
    pub(crate) fn of(this: &Estimate, to: &Estimate) -> Ratio {
        let value = this.median / to.median;
        let (a, b) = (this.error * this.error, to.error * to.error);
        let error = (a + b).sqrt();
        let ratio = |low, high| Ratio { value, low, high };
        if !(value > 0.0 && value.is_finite()) {
            return ratio(0.0, f64::INFINITY);
        }
        if error < NOTHING {
            return ratio(value, value);
        }
        let freedom = (a + b) * (a + b) / (a * a / this.freedom + b * b / to.freedom);
        let t = StudentsT::new(0.0, 1.0, freedom).expect("freedom is at least 1");
        let reach = t.inverse_cdf(0.5 + CONFIDENCE / 2.0) * error;
        ratio(value * (-reach).exp(), value * reach.exp())
    }
}

fn thin(visit: &[f64]) -> Vec<f64> {
    let mut sorted = visit.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    if sorted.len() <= MOST_SAMPLES {
        return sorted;
    }
    let at = |n| quantile(&sorted, n as f64 / (MOST_SAMPLES - 1) as f64);
    (0..MOST_SAMPLES).map(at).collect()
}

/// The median; the order of the samples is lost.
fn median(samples: &mut [f64]) -> f64 {
    let middle = samples.len() / 2;
    let (below, &mut upper, _) = samples.select_nth_unstable_by(middle, f64::total_cmp);
    let lower = below.iter().copied().max_by(f64::total_cmp);
    match lower {
        Some(lower) if samples.len() % 2 == 0 => (lower + upper) / 2.0,
        _ => upper,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `visits` visits of `samples` samples around `centre`, whose visits differ by `between` and
    /// samples by `within`, both parts of the whole.
    fn visits(
        seed: u64,
        centre: f64,
        visits: usize,
        samples: usize,
        between: f64,
        within: f64,
    ) -> Vec<Vec<f64>> {
        let mut random = Random::at(seed * 1_000_003);
        // The sum of twelve uniform numbers is nearly normal.
        let mut normal = || (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
        let mut visit = || {
            let here = centre * (between * normal()).exp();
            (0..samples)
                .map(|_| here * (within * normal()).exp())
                .collect()
        };
        (0..visits).map(|_| visit()).collect()
    }

    fn estimate(visits: &[Vec<f64>]) -> Estimate {
        Estimate::of(&visits.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    #[test]
    fn the_interval_holds_the_true_ratio_nineteen_times_in_twenty() {
        let mut missed = 0;
        const TRIES: u64 = 200;
        for seed in 0..TRIES {
            let a = estimate(&visits(2 * seed, 110.0, 5, 10, 0.03, 0.02));
            let b = estimate(&visits(2 * seed + 1, 100.0, 5, 10, 0.03, 0.02));
            let ratio = Ratio::of(&a, &b);
            if !(ratio.low..=ratio.high).contains(&1.1) {
                missed += 1;
            }
        }
        assert!((2..=20).contains(&missed), "{missed} of {TRIES} missed");
    }

    #[test]
    fn a_bootstrap_of_samples_alone_would_be_too_sure() {
        // Visits that differ much, samples that do not: the interval must be as wide as visits
        // differ.
        let wide = visits(1, 100.0, 5, 40, 0.1, 0.001);
        let ratio = Ratio::of(&estimate(&wide), &estimate(&wide));
        assert!(ratio.low < 0.93 && ratio.high > 1.07, "{ratio:?}");
        let mixed = wide.concat();
        let ratio = Ratio::of(&estimate(std::slice::from_ref(&mixed)), &estimate(&[mixed]));
        assert!(ratio.low > 0.9, "{ratio:?}");
    }

    #[test]
    fn equal_samples_leave_no_doubt() {
        let (a, b) = (
            estimate(&vec![vec![2.0; 5]; 2]),
            estimate(&vec![vec![1.0; 5]; 2]),
        );
        let ratio = Ratio::of(&a, &b);
        assert_eq!((ratio.value, ratio.low, ratio.high), (2.0, 2.0, 2.0));
    }
}
