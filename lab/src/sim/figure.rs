//! Simulated speed-ups as a figure, beside the published ones where there are some.

use crate::page::{Chart, Line, number};

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
    let line = |name: String, points: &[(f64, f64)]| {
        Line::new(name, points.iter().map(|&(x, y)| (x, [y; 3])))
    };
    let own = curves
        .iter()
        .map(|curve| line(curve.name.clone(), &curve.points));
    let elsewhere = PUBLISHED.iter().filter(|_| published);
    let elsewhere = elsewhere.map(|&(x, y, who)| line(format!("{who}, published"), &[(x, y)]));
    let chart = Chart {
        title: format!("SIMULATED: {what}"),
        x: ("workers", number),
        y: ("speed-up over one worker", number),
        lines: own.chain(elsewhere).collect(),
    };
    chart.svg()
}
