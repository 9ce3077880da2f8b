//! What is said about samples: the median, the spread from the 10th to the 90th percentile, the
//! least. No means: one disturbed sample must not move a result.

use serde::Serialize;

/// A summary of samples, in their unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Half of the samples are smaller.
    pub median: f64,
    /// A tenth of the samples is smaller.
    pub p10: f64,
    /// A tenth of the samples is larger.
    pub p90: f64,
    /// The smallest.
    pub min: f64,
}

impl Summary {
    /// Summarises at least one sample.
    pub fn of(samples: &[f64]) -> Summary {
        let mut sorted = samples.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        Summary {
            median: quantile(&sorted, 0.5),
            p10: quantile(&sorted, 0.1),
            p90: quantile(&sorted, 0.9),
            min: sorted[0],
        }
    }

    /// Half the distance from the 10th to the 90th percentile, as a part of the median, in words.
    pub fn spread(&self) -> String {
        let spread = 50.0 * (self.p90 - self.p10) / self.median;
        format!(" ±{spread:.0}%")
    }

    /// The 10th percentile, the median and the 90th percentile.
    pub fn percentiles(&self) -> [f64; 3] {
        [self.p10, self.median, self.p90]
    }
}

/// Of two series of samples, what each is of the other one's sample of the same round; nothing if
/// there is none.
pub fn of_ratios(own: &[f64], other: &[f64]) -> Option<Summary> {
    let pairs = own.iter().zip(other);
    let ratios: Vec<f64> = pairs.map(|(own, other)| own / other).collect();
    (!ratios.is_empty()).then(|| Summary::of(&ratios))
}

/// The geometric mean of ratios; nothing if there are none.
pub fn geometric_mean(ratios: impl IntoIterator<Item = f64>) -> Option<f64> {
    let logarithms: Vec<f64> = ratios.into_iter().map(f64::ln).collect();
    let mean = logarithms.iter().sum::<f64>() / logarithms.len() as f64;
    (!logarithms.is_empty()).then(|| mean.exp())
}

/// The quantile of sorted samples, by linear interpolation between the two nearest.
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let place = q * (sorted.len() - 1) as f64;
    let below = sorted[place.floor() as usize];
    let above = sorted[place.ceil() as usize];
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle_wherever_the_others_are() {
        for (samples, median) in [
            (&[7.0][..], 7.0),
            (&[5.0, 1.0, 4.0, 2.0, 3.0], 3.0),
            (&[4.0, 1.0, 2.0, 3.0], 2.5),
            (&[1.0, 1.0, 1.0, 1.0, 1e9], 1.0),
        ] {
            assert_eq!(Summary::of(samples).median, median);
        }
    }

    #[test]
    fn percentiles_interpolate() {
        let samples: Vec<f64> = (0..=100).map(f64::from).collect();
        let s = Summary::of(&samples);
        assert_eq!((s.p10, s.p90), (10.0, 90.0));
        let s = Summary::of(&[0.0, 1.0]);
        assert!((s.p10 - 0.1).abs() < 1e-12 && (s.p90 - 0.9).abs() < 1e-12);
    }

    #[test]
    fn ratios_have_a_geometric_mean() {
        let mean = geometric_mean([2.0, 8.0]).expect("there are two");
        assert!((mean - 4.0).abs() < 1e-12);
        assert_eq!(geometric_mean([]), None);
    }
}
