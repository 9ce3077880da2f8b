//! The bounds of a profile as a figure.

use sumac::profile::Profile;

use crate::page::{Chart, Line, number};
use crate::table::digits;

/// The numbers of workers that are marked.
pub(super) const WORKERS: [usize; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/// Draws it. Bounds of numbers of workers in between lie on straight lines.
pub(super) fn draw(title: &str, profile: &Profile) -> String {
    let line = |name: &str, bound: &dyn Fn(usize) -> f64| {
        Line::new(name, WORKERS.map(|n| (n as f64, [bound(n); 3])))
    };
    let parallelism = digits(profile.parallelism());
    let chart = Chart {
        title: format!("{title}: speed-up to expect, parallelism {parallelism}"),
        x: ("workers", number),
        y: ("times as fast as on one", number),
        lines: vec![
            line("ideal", &|workers| workers as f64),
            line("at most", &|workers| profile.speed_up(workers).upper),
            line("at least", &|workers| profile.speed_up(workers).lower),
        ],
    };
    chart.svg()
}
