//! Axes: from values to pixels, and where to put which numbers.

use crate::table::grouped;

/// How values go along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Evenly.
    Linear,
    /// By their logarithm.
    Log,
}

/// An axis.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
    /// Where numbers stand.
    pub(crate) ticks: Vec<(f64, String)>,
}

impl Axis {
    /// A linear axis from 0.
    pub(crate) fn from_zero(values: impl Iterator<Item = f64>) -> Axis {
        let most = values.filter(|v| v.is_finite()).fold(0.0, f64::max);
        let most = if most > 0.0 { most } else { 1.0 };
        let step = step(most / 5.0);
        let count = (most / step).ceil() as u32;
        Axis {
            scale: Scale::Linear,
            low: 0.0,
            high: f64::from(count) * step,
            ticks: (0..=count)
                .map(|n| f64::from(n) * step)
                .map(|v| (v, number(v)))
                .collect(),
        }
    }

    /// A logarithmic axis; values that have no logarithm are left out.
    pub(crate) fn log(values: impl Iterator<Item = f64>) -> Axis {
        let bound = |(low, high): (f64, f64), v: f64| (low.min(v), high.max(v));
        let positive = values.filter(|v| v.is_finite() && *v > 0.0);
        let (low, high) = positive.fold((f64::INFINITY, 0.0), bound);
        let (low, high) = if high > 0.0 { (low, high) } else { (1.0, 10.0) };
        let decades = (high / low).log10();
        let marks: &[f64] = match decades {
            d if d < 0.5 => &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
            d if d < 1.2 => &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
            d if d < 3.5 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let powers = low.log10().floor() as i32 - 1..=high.log10().ceil() as i32 + 1;
        let all = powers.flat_map(|power| marks.iter().map(move |m| m * 10f64.powi(power)));
        let all: Vec<f64> = all.collect();
        // A little room on both sides, and a tick below and above where one is near.
        let room = 1.0 + 0.06 * (1.0 + decades);
        let reach = 10f64.powf(0.2_f64.min(0.04 + decades / 6.0));
        let mut lower = all.iter().copied();
        let below = lower.rfind(|t| *t <= low && *t * reach >= low);
        let above = all
            .iter()
            .copied()
            .find(|t| *t >= high && *t <= high * reach);
        let (low, high) = (below.unwrap_or(low / room), above.unwrap_or(high * room));
        let inside = all
            .into_iter()
            .filter(|t| (low * 0.9999..=high * 1.0001).contains(t));
        Axis {
            scale: Scale::Log,
            low,
            high,
            ticks: inside.map(|v| (v, number(v))).collect(),
        }
    }

    /// The same, of times in nanoseconds.
    pub(crate) fn of_time(mut self) -> Axis {
        for (value, text) in &mut self.ticks {
            let (unit, name) = match *value {
                ns if ns < 999.5 => (1.0, "ns"),
                ns if ns < 999.5e3 => (1e3, "µs"),
                ns if ns < 999.5e6 => (1e6, "ms"),
                _ => (1e9, "s"),
            };
            *text = format!("{} {name}", number(*value / unit));
        }
        self
    }

    /// An axis of numbers of threads, every one of which has a tick.
    pub(crate) fn threads(threads: &[usize]) -> Axis {
        let least = threads.first().copied().unwrap_or(1) as f64;
        let most = threads.last().copied().unwrap_or(1) as f64;
        let ticks = threads.iter().map(|&n| (n as f64, n.to_string()));
        Axis {
            scale: Scale::Log,
            low: least / 1.12,
            high: most * 1.12,
            ticks: ticks.collect(),
        }
    }

    /// Its smallest value.
    pub(crate) fn low(&self) -> f64 {
        self.low
    }

    /// The pixel of a value, given those of both ends.
    pub(crate) fn pixel(&self, value: f64, from: i32, to: i32) -> i32 {
        let value = value.clamp(self.low, self.high);
        let part = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        from + (part * f64::from(to - from)).round() as i32
    }
}

/// 1, 2 or 5 times a power of ten, not below `least`.
fn step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let fitting = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|m| m * power >= least * 0.999);
    fitting.unwrap_or(10.0) * power
}

/// A round number in few letters.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if size >= 1e6 || (size < 1e-3 && size > 0.0) {
        return format!("{value:e}");
    }
    if size >= 1e3 && value > 0.0 {
        return grouped(value.round() as u64);
    }
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn linear_axes_begin_at_zero() {
        let axis = Axis::from_zero([3.0, 9.7].into_iter());
        assert_eq!(labels(&axis), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(axis.pixel(0.0, 500, 0), 500);
        assert_eq!(axis.pixel(5.0, 500, 0), 250);
        assert_eq!(labels(&Axis::from_zero([].into_iter())).len(), 6);
    }

    #[test]
    fn times_have_units_that_people_read() {
        let axis = Axis::log([0.5, 5e9].into_iter()).of_time();
        for text in ["1 ns", "100 ns", "10 µs", "1 ms", "1 s"] {
            assert!(labels(&axis).contains(&text), "{axis:?}");
        }
        assert_eq!(
            labels(&Axis::from_zero([4.0].into_iter()).of_time())[..2],
            ["0 ns", "1 ns"]
        );
    }

    #[test]
    fn logarithmic_axes_hold_their_values_and_some_ticks() {
        let spans: [(f64, f64); 6] = [
            (1.5, 1.6),
            (2.0, 2.0),
            (0.3, 70.0),
            (1.0, 32.0),
            (5.0, 5e6),
            (1e-4, 1e4),
        ];
        for (low, high) in spans {
            let axis = Axis::log([low, high, 0.0, f64::NAN].into_iter());
            assert!(
                axis.low <= low && axis.high >= high,
                "{low} {high}: {axis:?}"
            );
            assert!(
                (1..=12).contains(&axis.ticks.len()),
                "{low} {high}: {axis:?}"
            );
        }
    }

    #[test]
    fn every_number_of_threads_has_a_tick() {
        let axis = Axis::threads(&[1, 2, 32]);
        assert_eq!(labels(&axis), ["1", "2", "32"]);
        assert!(axis.pixel(1.0, 0, 100) > 0 && axis.pixel(32.0, 0, 100) < 100);
    }

    #[test]
    fn numbers_are_short() {
        let texts = [0.0, 0.5, 20.0, 1000.0, 2e7, 1e-5].map(number);
        assert_eq!(texts, ["0", "0.5", "20", "1,000", "2e7", "1e-5"]);
    }
}
