//! Bars over numbers of threads, one contender alone, as in the document that asked the question.
//! They begin at zero.

use super::axis::Axis;
use super::canvas::{Colour, HPos, INK, RIGHT, drawn, margin};

const TOP: i32 = 112;
const BOTTOM: i32 = TOP + 360;

/// A bar with its spread.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) spread: (f64, f64),
    pub(crate) colour: Colour,
    /// What stands above it.
    pub(crate) label: String,
}

/// Draws them over the horizontal axis of this title.
pub(crate) fn bars(title: &str, [x_title, y_title]: [&str; 2], bars: &[Bar]) -> String {
    let ends = bars.iter().map(|bar| bar.value.max(bar.spread.1));
    let axis = Axis::from_zero(ends.map(|end| end * 1.08)).of_time();
    drawn(title, BOTTOM + 92, |canvas| {
        canvas.upright((y_title, TOP - 36), &axis, (TOP, BOTTOM));
        let left = margin(&axis);
        let each = (RIGHT - left) / bars.len().max(1) as i32;
        let half = (each * 3 / 8).min(48);
        for (number, bar) in bars.iter().enumerate() {
            let x = left + each * number as i32 + each / 2;
            let y = |value: f64| axis.pixel(value, BOTTOM, TOP);
            canvas.block((x - half, y(bar.value)), (x + half, BOTTOM), bar.colour);
            let (low, high) = (y(bar.spread.0), y(bar.spread.1));
            canvas.stroke(x, (low, high), 7, INK);
            let above = high.min(y(bar.value)) - 18;
            canvas.words(&bar.label, (x, above), HPos::Center, INK);
            canvas.words(&bar.name, (x, BOTTOM + 28), HPos::Center, INK);
        }
        canvas.level(x_title, left, BOTTOM);
    })
}
