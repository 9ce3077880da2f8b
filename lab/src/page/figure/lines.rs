//! Lines over a horizontal axis: times, speed-ups and overheads against threads or sizes, and
//! distributions.

use super::Figure;
use super::axis::Axis;
use super::canvas::{Canvas, HPos, INK, MUTED, RIGHT, SHADE, WIDTH, drawn, margin, placed, width};
use super::look::{IDEAL, Look};
use crate::stats::Summary;

const PLOT: i32 = 430;
const ROW: i32 = 38;

/// A name and its look in the legend: pixels from the left, row.
type Entry = (String, Look, i32, i32);

/// A value with its spread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// The spread's ends, where there is one.
    pub(crate) spread: Option<(f64, f64)>,
}

/// A line with its name.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) look: Look,
    pub(crate) points: Vec<Point>,
    /// Whether its only value holds everywhere, such as that of a program without threads.
    pub(crate) everywhere: bool,
}

/// The chart.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) x_title: String,
    pub(crate) y_title: String,
    pub(crate) lines: Vec<Line>,
    /// What would be ideal, with its name.
    pub(crate) ideal: Option<(String, Vec<(f64, f64)>)>,
    /// Where to the right of this value things are different, and how.
    pub(crate) shade: Option<(f64, String)>,
    /// Whether points are marked.
    pub(crate) marks: bool,
}

impl Point {
    /// A point without a spread.
    pub(crate) fn at(x: f64, y: f64) -> Point {
        Point { x, y, spread: None }
    }

    /// A median with its spread, each as `value` makes it.
    pub(crate) fn of(x: f64, summary: &Summary, value: impl Fn(f64) -> f64) -> Point {
        let [y, a, b] = [summary.median, summary.p10, summary.p90].map(value);
        let spread = Some((a.min(b), a.max(b)));
        Point { x, y, spread }
    }
}

impl Line {
    /// A line through these points.
    pub(crate) fn new(
        name: impl Into<String>,
        look: Look,
        points: impl IntoIterator<Item = Point>,
    ) -> Line {
        Line {
            name: name.into(),
            look,
            points: points.into_iter().collect(),
            everywhere: false,
        }
    }
}

/// All values of these lines, the ends of spreads among them.
pub(crate) fn extent(lines: &[Line]) -> impl Iterator<Item = f64> + '_ {
    let points = lines.iter().flat_map(|line| &line.points);
    points.flat_map(|point| {
        let (low, high) = point.spread.unwrap_or((point.y, point.y));
        [point.y, low, high]
    })
}

impl Lines {
    /// A figure of lines with marks; `x` and `y` are the titles of the axes and the axes.
    pub(crate) fn new(
        title: impl Into<String>,
        x: (impl Into<String>, Axis),
        y: (impl Into<String>, Axis),
        lines: Vec<Line>,
    ) -> Lines {
        Lines {
            title: title.into(),
            x: x.1,
            y: y.1,
            x_title: x.0.into(),
            y_title: y.0.into(),
            lines,
            ideal: None,
            shade: None,
            marks: true,
        }
    }

    /// The figure, drawn.
    pub(crate) fn figure(&self, id: impl Into<String>, caption: impl Into<String>) -> Figure {
        Figure {
            id: id.into(),
            title: self.title.clone(),
            caption: caption.into(),
            svg: self.draw(),
        }
    }

    /// Draws.
    fn draw(&self) -> String {
        let entries = self.legend();
        let top = 62 + ROW * entries.last().map_or(0, |(.., row)| row + 1) + 58;
        let bottom = top + PLOT;
        drawn(&self.title, bottom + 92, |canvas| {
            self.draw_on(canvas, &entries, (top, bottom));
        })
    }

    fn draw_on(&self, canvas: &Canvas<'_>, legend: &[Entry], (top, bottom): (i32, i32)) {
        for (name, look, x, row) in legend {
            let y = 74 + row * ROW;
            canvas.line(&[(*x, y), (x + 56, y)], look.colour, 4, look.dash);
            if self.marks {
                canvas.mark(look.mark, (x + 28, y), look.colour);
            }
            canvas.words(name, (x + 66, y), HPos::Left, INK);
        }
        let left = self.ground(canvas, top, bottom);
        let x = |value: f64| self.x.pixel(value, left, RIGHT);
        let y = |value: f64| self.y.pixel(value, bottom, top);
        if let Some((_, points)) = &self.ideal {
            let points: Vec<_> = points.iter().map(|&(a, b)| (x(a), y(b))).collect();
            canvas.line(&points, IDEAL.colour, 4, IDEAL.dash);
        }
        for (number, line) in self.lines.iter().enumerate() {
            // Lines stand a little beside each other, so that spreads do not hide spreads.
            let aside = if self.marks {
                (number as i32 - self.lines.len() as i32 / 2) * 4
            } else {
                0
            };
            let inside = line
                .points
                .iter()
                .filter(|p| p.y >= self.y.low() * 0.9999 && p.y.is_finite());
            let points: Vec<&Point> = inside.collect();
            if let (true, [only]) = (line.everywhere, points.as_slice()) {
                canvas.line(
                    &[(left, y(only.y)), (RIGHT, y(only.y))],
                    line.look.colour,
                    4,
                    line.look.dash,
                );
                continue;
            }
            for point in points.iter().filter(|_| self.marks) {
                if let Some((low, high)) = point.spread {
                    let (px, low, high) = (x(point.x) + aside, y(low), y(high));
                    canvas.stroke(px, (low, high), 6, line.look.colour);
                }
            }
            let path: Vec<_> = points.iter().map(|p| (x(p.x) + aside, y(p.y))).collect();
            if path.len() > 1 {
                canvas.line(&path, line.look.colour, 4, line.look.dash);
            }
            for &at in path.iter().filter(|_| self.marks) {
                canvas.mark(line.look.mark, at, line.look.colour);
            }
        }
    }

    /// What lies behind the lines, and the axes.
    fn ground(&self, canvas: &Canvas<'_>, top: i32, bottom: i32) -> i32 {
        let left = margin(&self.y);
        let x = |value: f64| self.x.pixel(value, left, RIGHT);
        if let Some((from, what)) = &self.shade {
            canvas.block((x(*from), top), (RIGHT, bottom), SHADE);
            canvas.words(what, (RIGHT, top - 30), HPos::Right, MUTED);
        }
        canvas.upright((&self.y_title, top - 30), &self.y, (top, bottom));
        let mut free = left - 60;
        for (value, text) in &self.x.ticks {
            let (x, half) = (x(*value), width(text) / 2);
            canvas.line(&[(x, bottom), (x, bottom + 8)], INK, 2, None);
            if x - half > free {
                canvas.words(
                    text,
                    (x.min(WIDTH - half - 4), bottom + 28),
                    HPos::Center,
                    INK,
                );
                free = x + half + 10;
            }
        }
        canvas.level(&self.x_title, left, bottom);
        left
    }

    /// The names with their looks, and where they stand: pixels from the left, row.
    fn legend(&self) -> Vec<Entry> {
        let lines = self.lines.iter().map(|line| (line.name.clone(), line.look));
        let ideal = self.ideal.iter().map(|(name, _)| (name.clone(), IDEAL));
        placed(lines.chain(ideal), 66)
    }
}
