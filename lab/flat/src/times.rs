//! Samples of one contender. `lab/grains` has this file too.

/// Ascending times, in whichever unit.
pub(crate) struct Times(Vec<f64>);

impl Times {
    /// Of samples in any order.
    pub(crate) fn new(mut samples: Vec<f64>) -> Self {
        samples.sort_by(f64::total_cmp);
        Times(samples)
    }

    fn quantile(&self, quantile: f64) -> f64 {
        self.0[((self.0.len() - 1) as f64 * quantile).round() as usize]
    }

    pub(crate) fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The median and half of what lies between the quartiles.
    pub(crate) fn cell(&self) -> String {
        let spread = (self.quantile(0.75) - self.quantile(0.25)) / self.median();
        format!("{:.1} ±{:.0} %", self.median(), 50.0 * spread)
    }
}
