//! Paper to draw on: lines, marks and words in pixels, through plotters' SVG backend. Colours are
//! few and known by role, so that a style sheet can exchange them for dark paper.

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
pub(crate) use plotters::style::text_anchor::HPos;
use plotters::style::text_anchor::{Pos, VPos};

use super::axis::Axis;

/// Every figure's width.
pub(crate) const WIDTH: i32 = 960;
/// Where plots with a vertical axis end.
pub(crate) const RIGHT: i32 = WIDTH - 24;
/// The size of words.
pub(crate) const TEXT: i32 = 26;

/// A colour by role: on light paper, on dark paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Colour {
    /// On light paper, as red, green, blue.
    pub(crate) light: u32,
    /// On dark paper.
    pub(crate) dark: u32,
}

const fn colour(light: u32, dark: u32) -> Colour {
    Colour { light, dark }
}

/// Words and axes.
pub(crate) const INK: Colour = colour(0x1A1A1B, 0xF0F0F0);
/// Words that matter less.
pub(crate) const MUTED: Colour = colour(0x595A5B, 0xB4B6B8);
/// Lines behind everything.
pub(crate) const GRID: Colour = colour(0xD9DADB, 0x3C3F44);
/// An area behind everything.
pub(crate) const SHADE: Colour = colour(0xF3ECDD, 0x2D2A22);
/// What is not used.
pub(crate) const EMPTY: Colour = colour(0xC4C6C9, 0x585C62);
/// What failed.
pub(crate) const RED: Colour = colour(0xB00021, 0xFF6B7B);
/// After Okabe and Ito, darker on light paper where they would be too pale.
pub(crate) const BLUE: Colour = colour(0x0072B2, 0x56B4E9);
pub(crate) const GREEN: Colour = colour(0x008F68, 0x2BC795);
pub(crate) const VERMILION: Colour = colour(0xD55E00, 0xFF8C42);
pub(crate) const PURPLE: Colour = colour(0xB35A8C, 0xE79AC6);
pub(crate) const ORANGE: Colour = colour(0xB87A00, 0xE9B040);
pub(crate) const SKY: Colour = colour(0x2E8BC0, 0x8AD0F5);

/// All of them, for the style sheet.
pub(crate) const COLOURS: [Colour; 12] = [
    INK, MUTED, GRID, SHADE, EMPTY, RED, BLUE, GREEN, VERMILION, PURPLE, ORANGE, SKY,
];

impl Colour {
    fn rgb(self) -> RGBColor {
        let [_, r, g, b] = self.light.to_be_bytes();
        RGBColor(r, g, b)
    }
}

/// How a line goes on and off, in pixels; solid if nothing.
pub(crate) type Dash = Option<(i32, i32)>;

/// A shape that marks a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// None.
    None,
    /// A disc.
    Disc,
    /// A square.
    Square,
    /// A triangle that stands.
    Up,
    /// A triangle that hangs.
    Down,
    /// A square on its corner.
    Diamond,
    /// Two strokes.
    Cross,
}

/// The paper.
pub(crate) struct Canvas<'a> {
    root: DrawingArea<SVGBackend<'a>, Shift>,
}

/// What is drawn is kept in memory, where nothing fails.
const IN_MEMORY: &str = "drawing in memory does not fail";

/// A drawing of the usual width below a heading.
pub(crate) fn drawn(heading: &str, height: i32, draw: impl FnOnce(&Canvas<'_>)) -> String {
    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, (WIDTH as u32, height as u32));
    let canvas = Canvas {
        root: root.into_drawing_area(),
    };
    canvas.heading(heading, (16, 30));
    draw(&canvas);
    canvas.root.present().expect(IN_MEMORY);
    drop(canvas);
    joined(&svg)
}

/// The same drawing with dashes in a row, each an element of its own before, as one path: they are
/// most of a drawing's text.
fn joined(svg: &str) -> String {
    let dash = |line: &str| {
        let (look, points) = line.strip_prefix("<polyline ")?.split_once(" points=\"")?;
        Some((look.to_string(), points.strip_suffix(" \"/>")?.to_string()))
    };
    let mut out = String::with_capacity(svg.len());
    let mut lines = svg.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((look, points)) = dash(line) else {
            out += line;
            out.push('\n');
            continue;
        };
        out += &format!("<path {look} d=\"M{points}");
        let same = |next: &&str| dash(next).is_some_and(|(other, _)| other == look);
        while let Some((_, points)) = lines.next_if(same).and_then(dash) {
            out += &format!("M{points}");
        }
        out += "\"/>\n";
    }
    out
}

impl Canvas<'_> {
    /// A line through points.
    pub(crate) fn line(&self, points: &[(i32, i32)], colour: Colour, width: u32, dash: Dash) {
        let style = colour.rgb().stroke_width(width);
        let points = points.to_vec();
        let drawn = match dash {
            None => self.root.draw(&PathElement::new(points, style)),
            Some((on, off)) => {
                let dashed = DashedPathElement::new(points, on, off, style);
                self.root.draw(&dashed)
            }
        };
        drawn.expect(IN_MEMORY);
    }

    /// A filled rectangle.
    pub(crate) fn block(&self, from: (i32, i32), to: (i32, i32), colour: Colour) {
        let block = Rectangle::new([from, to], colour.rgb().filled());
        self.root.draw(&block).expect(IN_MEMORY);
    }

    /// A mark around a point.
    pub(crate) fn mark(&self, mark: Mark, (x, y): (i32, i32), colour: Colour) {
        let fill = colour.rgb().filled();
        let polygon = |corners: &[(i32, i32)]| {
            let corners: Vec<_> = corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
            self.root.draw(&Polygon::new(corners, fill))
        };
        let stroke = |from: (i32, i32), to: (i32, i32)| {
            self.line(
                &[(x + from.0, y + from.1), (x + to.0, y + to.1)],
                colour,
                4,
                None,
            );
        };
        let drawn = match mark {
            Mark::None => return,
            Mark::Disc => self.root.draw(&Circle::new((x, y), 9, fill)),
            Mark::Square => polygon(&[(-8, -8), (8, -8), (8, 8), (-8, 8)]),
            Mark::Up => polygon(&[(0, -11), (10, 8), (-10, 8)]),
            Mark::Down => polygon(&[(0, 11), (10, -8), (-10, -8)]),
            Mark::Diamond => polygon(&[(0, -12), (10, 0), (0, 12), (-10, 0)]),
            Mark::Cross => {
                stroke((-8, -8), (8, 8));
                stroke((-8, 8), (8, -8));
                return;
            }
        };
        drawn.expect(IN_MEMORY);
    }

    /// Words, centred on the point's height.
    pub(crate) fn words(&self, text: &str, (x, y): (i32, i32), side: HPos, colour: Colour) {
        self.print(text, (x, y), side, colour, TEXT, FontStyle::Normal);
    }

    /// The name of a row, which ends at the point; a long one is smaller.
    pub(crate) fn name(&self, text: &str, at: (i32, i32)) {
        let size = (TEXT * (at.0 - 8) / width(text).max(1)).min(TEXT);
        self.print(text, at, HPos::Right, INK, size, FontStyle::Normal);
    }

    /// Words that are a heading.
    fn heading(&self, text: &str, at: (i32, i32)) {
        let room = WIDTH - at.0 - 10;
        // A long heading is smaller. Bold letters are two thirds as wide as they are high.
        let size = (room * 3 / (text.chars().count().max(1) as i32 * 2)).clamp(18, TEXT + 4);
        self.print(text, at, HPos::Left, INK, size, FontStyle::Bold);
    }

    fn print(
        &self,
        text: &str,
        at: (i32, i32),
        side: HPos,
        colour: Colour,
        size: i32,
        style: FontStyle,
    ) {
        // The backend divides sizes by 1.24.
        let font = ("sans-serif", f64::from(size) * 1.24, style).into_font();
        let style = font.color(&colour.rgb()).pos(Pos::new(side, VPos::Center));
        self.root.draw_text(text, &style, at).expect(IN_MEMORY);
    }

    /// A stroke from one value's place to another's, with ends so wide to both sides.
    pub(crate) fn stroke(&self, x: i32, (low, high): (i32, i32), half: i32, colour: Colour) {
        for (from, to) in [((x, low), (x, high))]
            .into_iter()
            .chain([low, high].map(|y| ((x - half, y), (x + half, y))))
        {
            self.line(&[from, to], colour, 2, None);
        }
    }
}

impl Canvas<'_> {
    /// A vertical axis with its title: a line and a number for each tick.
    pub(crate) fn upright(&self, title: (&str, i32), axis: &Axis, (top, bottom): (i32, i32)) {
        self.words(title.0, (16, title.1), HPos::Left, MUTED);
        let left = margin(axis);
        for (value, text) in &axis.ticks {
            let y = axis.pixel(*value, bottom, top);
            self.line(&[(left, y), (RIGHT, y)], GRID, 1, None);
            self.words(text, (left - 12, y), HPos::Right, INK);
        }
    }

    /// The line of a horizontal axis below it, with its title.
    pub(crate) fn level(&self, title: &str, left: i32, bottom: i32) {
        self.line(&[(left, bottom), (RIGHT, bottom)], INK, 2, None);
        let at = ((left + RIGHT) / 2, bottom + 66);
        self.words(title, at, HPos::Center, MUTED);
    }
}

/// Where the entries of a legend go, each so wide beside its words: from the left, and in what row.
pub(crate) fn placed<T>(
    entries: impl IntoIterator<Item = (String, T)>,
    lead: i32,
) -> Vec<(String, T, i32, i32)> {
    let (mut x, mut row) = (16, 0);
    let place = |(name, entry): (String, T)| {
        let needed = lead + width(&name) + 24;
        if x > 16 && x + needed > WIDTH {
            (x, row) = (16, row + 1);
        }
        let at = x;
        x += needed;
        (name, entry, at, row)
    };
    entries.into_iter().map(place).collect()
}

/// How wide words are, about.
pub(crate) fn width(text: &str) -> i32 {
    text.chars().count() as i32 * TEXT * 62 / 100
}

/// The room that a vertical axis needs for its numbers.
pub(crate) fn margin(axis: &Axis) -> i32 {
    let widest = axis.ticks.iter().map(|(_, text)| width(text)).max();
    (widest.unwrap_or(0) + 30).max(90)
}
