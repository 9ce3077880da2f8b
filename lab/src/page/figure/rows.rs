//! Charts with a row for each thing and a horizontal axis: stacked bars, and dots with intervals.

use indexmap::IndexMap;

use super::axis::Axis;
use super::canvas::{
    BLUE, Canvas, Colour, EMPTY, GRID, HPos, INK, MUTED, ORANGE, VERMILION, WIDTH, drawn, placed,
    width,
};
use super::look::Look;

const RIGHT: i32 = WIDTH - 40;
const ROW: i32 = 36;

/// A row of a stacked bar.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) name: String,
    /// Useful, looking for work, other overhead, unused.
    pub(crate) parts: [f64; 4],
}

/// A value, its interval, its look.
pub(crate) type Dot = (f64, (f64, f64), Look);

/// Where nothing differs.
const SAME: f64 = 1.0;
const PARTS: [(&str, Colour); 4] = [
    ("useful", BLUE),
    ("searching", ORANGE),
    ("other overhead", VERMILION),
    ("unused", EMPTY),
];

fn names<'a>(names: impl Iterator<Item = &'a String>) -> i32 {
    let widest = names.map(|name| width(name)).max().unwrap_or(0);
    (widest + 32).clamp(120, WIDTH / 2)
}

/// The axis with its lines and numbers.
fn ground(canvas: &Canvas<'_>, axis: &Axis, left: i32, top: i32, bottom: i32, title: &str) {
    let mut free = 0;
    for (value, text) in &axis.ticks {
        let (x, half) = (axis.pixel(*value, left, RIGHT), width(text) / 2);
        canvas.line(&[(x, top), (x, bottom)], GRID, 1, None);
        if x - half > free {
            canvas.words(text, (x, bottom + 26), HPos::Center, INK);
            free = x + half + 10;
        }
    }
    canvas.words(title, (WIDTH / 2, bottom + 64), HPos::Center, MUTED);
}

/// Stacked bars: where time went.
pub(crate) fn stack(title: &str, x_title: &str, rows: &[Row]) -> String {
    let known = rows.iter().any(|row| row.parts[1] > 0.0);
    let top = 112;
    let bottom = top + ROW * rows.len() as i32;
    drawn(title, bottom + 90, |canvas| {
        let mut x = 16;
        for (number, (name, colour)) in PARTS.iter().enumerate() {
            let name = match (number, known) {
                (1, false) => continue,
                (2, false) => "overhead",
                _ => name,
            };
            canvas.block((x, 66), (x + 24, 90), *colour);
            canvas.words(name, (x + 34, 78), HPos::Left, INK);
            x += 34 + width(name) + 22;
        }
        let left = names(rows.iter().map(|row| &row.name));
        let axis = Axis::from_zero(rows.iter().map(|row| row.parts.iter().sum()));
        ground(canvas, &axis, left, top, bottom, x_title);
        for (number, row) in rows.iter().enumerate() {
            let y = top + ROW * number as i32;
            canvas.name(&row.name, (left - 12, y + ROW / 2));
            let mut from = 0.0;
            for (part, (_, colour)) in row.parts.iter().zip(PARTS) {
                let (a, b) = (
                    axis.pixel(from, left, RIGHT),
                    axis.pixel(from + part, left, RIGHT),
                );
                if b > a {
                    // A gap between parts tells them apart without colours.
                    canvas.block((a, y + 5), ((b - 2).max(a + 1), y + ROW - 5), colour);
                }
                from += part;
            }
        }
    })
}

/// Dots with intervals over a logarithmic axis, on which nothing differs at 1; `legend` says what
/// the looks mean.
pub(crate) fn dots(
    title: &str,
    x_title: &str,
    rows: &IndexMap<String, Vec<Dot>>,
    legend: &IndexMap<String, Look>,
) -> String {
    let legend = legend.iter();
    let legend = placed(legend.map(|(name, look)| (name.clone(), *look)), 40);
    let top = 76 + 38 * legend.last().map_or(0, |(.., row)| row + 1);
    let bottom = top + ROW * rows.len() as i32;
    drawn(title, bottom + 90, |canvas| {
        for (name, look, x, row) in legend {
            canvas.mark(look.mark, (x + 14, 74 + row * 38), look.colour);
            canvas.words(&name, (x + 34, 74 + row * 38), HPos::Left, INK);
        }
        let left = names(rows.keys());
        let dots = rows.values().flatten();
        let ends = dots.flat_map(|(value, (low, high), _)| [*value, *low, *high]);
        let axis = Axis::log(ends.chain([SAME]));
        ground(canvas, &axis, left, top, bottom, x_title);
        let same = axis.pixel(SAME, left, RIGHT);
        canvas.line(&[(same, top), (same, bottom)], INK, 3, Some((6, 6)));
        for (number, (name, dots)) in rows.iter().enumerate() {
            let y = top + ROW * number as i32 + ROW / 2;
            canvas.name(name, (left - 12, y));
            for (place, (value, (low, high), look)) in dots.iter().enumerate() {
                let y = y + (place as i32 * 2 + 1 - dots.len() as i32) * 3;
                let pixel = |v: f64| axis.pixel(v, left, RIGHT);
                canvas.line(&[(pixel(*low), y), (pixel(*high), y)], look.colour, 3, None);
                canvas.mark(look.mark, (pixel(*value), y), look.colour);
            }
        }
    })
}
