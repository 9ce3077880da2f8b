//! Simulated speed-ups as a figure, beside the published ones where there are some.

use crate::page::{Axis, Line, Lines, Mark, Point, extent, look};

/// What the simulated workers of a policy reached.
pub(crate) struct Curve {
    /// The policy.
    pub(crate) name: String,
    /// Workers, and the speed-up over one.
    pub(crate) points: Vec<(f64, f64)>,
}

/// Speed-ups that were published for the tree of 100,000,000 nodes: workers, speed-up, whose.
pub(crate) const PUBLISHED: [(f64, f64, &str); 3] = [
    (4.0, 3.3, "Spice"),
    (16.0, 11.0, "Spice"),
    (16.0, 14.0, "rayon"),
];

/// Draws the curves.
pub(crate) fn draw(what: &str, curves: &[Curve], published: bool) -> String {
    let colours = ["sumac-scope", "chili", "rayon"];
    let line = |(number, curve): (usize, &Curve)| {
        let look = look(colours.get(number).unwrap_or(&"other"), number);
        let points = curve.points.iter().map(|&(x, y)| Point::at(x, y));
        Line::new(&curve.name, look, points)
    };
    let mut lines: Vec<Line> = curves.iter().enumerate().map(line).collect();
    // Single points, without a line through them.
    for (number, &(x, y, who)) in PUBLISHED.iter().enumerate().filter(|_| published) {
        let mut look = look("other", number);
        look.mark = Mark::Cross;
        let name = format!("{who}, published, on {x}");
        lines.push(Line::new(name, look, [Point::at(x, y)]));
    }
    let xs = || {
        lines
            .iter()
            .flat_map(|line| &line.points)
            .map(|point| point.x)
    };
    let most = xs().fold(16.0, f64::max);
    let mut workers: Vec<usize> = xs().map(|x| x as usize).chain([1]).collect();
    workers.sort_unstable();
    workers.dedup();
    let y = Axis::log(extent(&lines).chain([1.0, most]));
    let x = ("workers", Axis::threads(&workers));
    let y = ("speed-up over one worker", y);
    let mut chart = Lines::new(format!("SIMULATED: {what}"), x, y, lines);
    chart.ideal = Some(("ideal".into(), vec![(1.0, 1.0), (most, most)]));
    chart.figure("simulated", "").file()
}
