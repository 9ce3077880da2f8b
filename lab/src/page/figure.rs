//! Figures: lines with marks and spreads over two logarithmic axes, by the crate `plotters`, as SVG
//! on white paper, which is read on a dark page, too.

use plotters::prelude::*;

use crate::table::grouped;

const SIZE: (u32, u32) = (960, 480);
/// Room for the names on the right.
const NAMES: i32 = 200;

/// A chart.
pub(crate) struct Chart {
    /// What it shows.
    pub(crate) title: String,
    /// The axes: what they count, and how a number of it is written.
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) lines: Vec<Line>,
}

/// What an axis counts, and how a number of it is written.
pub(crate) type Axis = (&'static str, fn(f64) -> String);

/// A line: its name, and for each place its low, middle and high value.
pub(crate) struct Line {
    name: String,
    points: Vec<(f64, [f64; 3])>,
}

impl Line {
    /// The line. What has no logarithm is left out.
    pub(crate) fn new(
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, [f64; 3])>,
    ) -> Line {
        let fits = |n: &f64| *n > 0.0 && n.is_finite();
        let mut points: Vec<_> = points.into_iter().collect();
        points.retain(|(x, values)| fits(x) && values.iter().all(fits));
        let name = name.into();
        Line { name, points }
    }
}

impl Chart {
    /// The drawing.
    pub(crate) fn svg(&self) -> String {
        let mut svg = String::new();
        self.draw(&mut svg).expect("memory takes all that is drawn");
        svg
    }

    fn draw(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error + '_>> {
        let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let lines = || self.lines.iter().filter(|line| !line.points.is_empty());
        let points = || lines().flat_map(|line| &line.points);
        let (places, (left, right)) = extent(points().map(|(x, _)| *x));
        let places = match places.len() {
            0..=16 => places,
            _ => ticks(left, right),
        };
        let (_, (low, high)) = extent(points().flat_map(|(_, values)| *values));
        let x = (left..right).log_scale().with_key_points(places);
        let y = (low..high).log_scale().with_key_points(ticks(low, high));
        let mut chart = ChartBuilder::on(&root);
        chart
            .caption(&self.title, ("sans-serif", 22))
            .margin(12)
            .margin_right(NAMES);
        chart.x_label_area_size(48).y_label_area_size(76);
        let mut plot = chart.build_cartesian_2d(x, y)?;
        let (of_x, of_y) = (|x: &f64| (self.x.1)(*x), |y: &f64| (self.y.1)(*y));
        let mut mesh = plot.configure_mesh();
        mesh.disable_x_mesh().x_desc(self.x.0).y_desc(self.y.0);
        mesh.x_label_formatter(&of_x).y_label_formatter(&of_y);
        mesh.label_style(("sans-serif", 15)).light_line_style(WHITE);
        mesh.draw()?;
        for (number, Line { name, points }) in lines().enumerate() {
            let colour = colour(number);
            let middles = || points.iter().map(|(x, [_, y, _])| (*x, *y));
            plot.draw_series(LineSeries::new(middles(), colour.stroke_width(2)))?;
            let spread = |(x, [low, y, high]): &(f64, [f64; 3])| {
                ErrorBar::new_vertical(*x, *low, *y, *high, colour, 6)
            };
            plot.draw_series(points.iter().map(spread))?;
            plot.draw_series(middles().map(|at| mark(at, number, colour)))?;
            let at = (SIZE.0 as i32 - NAMES + 20, 60 + 26 * number as i32);
            root.draw(&mark(at, number, colour))?;
            let font = ("sans-serif", 16).into_font();
            root.draw(&Text::new(name.as_str(), (at.0 + 12, at.1 - 8), font))?;
        }
        root.present()?;
        Ok(())
    }
}

/// The values in order, each once, and from a little below the least to above the largest.
fn extent(values: impl Iterator<Item = f64>) -> (Vec<f64>, (f64, f64)) {
    let mut all: Vec<f64> = values.collect();
    all.sort_unstable_by(f64::total_cmp);
    all.dedup();
    let ends = all
        .first()
        .zip(all.last())
        .map(|(low, high)| (low / 1.15, high * 1.15));
    (all, ends.unwrap_or((1.0, 10.0)))
}

/// Round numbers within.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let steps: &[f64] = match (high / low).log10() {
        decades if decades < 1.0 => &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0],
        decades if decades < 3.5 => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let all = powers.flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)));
    all.filter(|tick| (low..=high).contains(tick)).collect()
}

/// A whole number, or one with few digits.
pub(crate) fn number(value: f64) -> String {
    match value {
        value if value >= 1.0 && value.fract() == 0.0 => grouped(value as u64),
        value => format!("{}", (value * 1e4).round() / 1e4),
    }
}

/// Nanoseconds in the unit that suits them.
pub(crate) fn nanoseconds(value: f64) -> String {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    let unit = units.into_iter().find(|(unit, _)| value >= 0.9995 * unit);
    let (unit, name) = unit.unwrap_or((1.0, "ns"));
    format!("{} {name}", number((value / unit * 1e4).round() / 1e4))
}

/// A shape, which tells lines apart beside their colours.
fn mark<D: DrawingBackend, C: Clone + 'static>(
    at: C,
    number: usize,
    colour: RGBColor,
) -> DynElement<'static, D, C> {
    match number % 3 {
        0 => Circle::new(at, 5, colour.filled()).into_dyn(),
        1 => TriangleMarker::new(at, 7, colour.filled()).into_dyn(),
        _ => Cross::new(at, 5, colour.stroke_width(2)).into_dyn(),
    }
}

/// A colour, after Okabe and Ito.
fn colour(number: usize) -> RGBColor {
    #[rustfmt::skip]
    const COLOURS: [(u8, u8, u8); 12] = [
        (26, 26, 27), (213, 94, 0), (179, 90, 140), (0, 143, 104), (0, 114, 178),
        (110, 110, 110), (184, 122, 0), (46, 139, 192), (140, 86, 75), (127, 60, 200),
        (150, 150, 30), (90, 160, 90),
    ];
    let (red, green, blue) = COLOURS[number % COLOURS.len()];
    RGBColor(red, green, blue)
}
