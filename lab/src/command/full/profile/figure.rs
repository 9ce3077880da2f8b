//! The bounds of a profile as a figure.

use sumac::profile::Profile;

use crate::page::{Axis, Line, Lines, Point, extent, look};
use crate::table::digits;

/// The numbers of workers that are marked.
pub(super) const WORKERS: [usize; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/// Draws it. Bounds of numbers of workers in between lie on straight lines.
pub(super) fn draw(title: &str, profile: &Profile) -> String {
    let line = |name: &str, who: &str, bound: &dyn Fn(usize) -> f64| {
        let points = WORKERS.map(|workers| Point::at(workers as f64, bound(workers)));
        Line::new(name, look(who, 0), points)
    };
    let [upper, lower] = [
        "at most: workers, or work / span",
        "at least, with the burden of forking",
    ];
    let lines = vec![
        line(upper, "sumac-scope", &|workers| {
            profile.speed_up(workers).upper
        }),
        line(lower, "rayon", &|workers| profile.speed_up(workers).lower),
    ];
    let parallelism = digits(profile.parallelism());
    let title = format!("{title}: speed-up to expect, parallelism {parallelism}");
    let ends = [(1.0, 1.0), (1024.0, 1024.0)];
    let y = Axis::log(extent(&lines).chain([1.0, 1024.0]));
    let x = ("workers", Axis::threads(&WORKERS));
    let mut chart = Lines::new(title, x, ("times as fast as on one", y), lines);
    chart.ideal = Some(("ideal".into(), ends.to_vec()));
    chart.figure("profile", "").file()
}
