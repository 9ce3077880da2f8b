//! The figure of a profile: speed-up against workers, both logarithmic, with the ideal line and
//! both bounds.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use sumac::profile::Profile;

use crate::experiment::Failure;

/// The numbers of workers in the table.
pub(super) const WORKERS: [usize; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

const SIZE: (u32, u32) = (760, 520);
const IDEAL: RGBColor = RGBColor(0x80, 0x88, 0x90);
const UPPER: RGBColor = RGBColor(0x2f, 0x7e, 0xd8);
const LOWER: RGBColor = RGBColor(0xd8, 0x5a, 0x2f);
const TEXT: RGBColor = RGBColor(0x22, 0x22, 0x23);

/// On dark backgrounds.
const DARK: &str = "<style>svg{background:#fff}@media(prefers-color-scheme:dark){svg{background:#16181d}\
    text{fill:#e8e8e8!important}line,polyline{filter:brightness(1.25)}}</style>";

/// Draws it as SVG.
pub(super) fn draw(title: &str, profile: &Profile) -> Result<String, Failure> {
    let mut text = String::new();
    plot(&mut text, title, profile)
        .map_err(|why| Failure::Other(format!("cannot draw the figure: {why}")))?;
    let end_of_head = text
        .find("viewBox")
        .and_then(|at| Some(at + text[at..].find('>')? + 1));
    if let Some(at) = end_of_head {
        text.insert_str(at, DARK);
    }
    Ok(text)
}

fn plot(
    text: &mut String,
    title: &str,
    profile: &Profile,
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    // A point at each 16th of an octave, for the bends to be sharp.
    let workers = (0..=160).map(|step| 2f64.powf(f64::from(step) / 16.0));
    let bounds = |workers: f64| {
        let (below, above) = (workers.floor(), workers.ceil());
        let (low, high) = (
            profile.speed_up(below as usize),
            profile.speed_up(above as usize),
        );
        let part = workers - below;
        let between = |a: f64, b: f64| a + (b - a) * part;
        (
            between(low.lower, high.lower),
            between(low.upper, high.upper),
        )
    };
    let points: Vec<(f64, (f64, f64))> = workers.map(|w| (w, bounds(w))).collect();
    let lowest = points
        .iter()
        .map(|(_, (lower, _))| *lower)
        .fold(1.0, f64::min);
    let lowest = if lowest < 0.95 { lowest / 1.3 } else { 0.9 };

    let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
    let font = |size: u32| ("system-ui, sans-serif", size).into_font().color(&TEXT);
    let caption = format!(
        "{title}: speed-up to expect, parallelism {}",
        crate::table::digits(profile.parallelism())
    );
    let mut chart = ChartBuilder::on(&root)
        .caption(caption, font(17))
        .margin(14)
        .margin_right(26)
        .x_label_area_size(44)
        .y_label_area_size(56)
        .build_cartesian_2d(
            (1f64..1024f64).log_scale().base(2.0),
            (lowest..1100f64).log_scale().base(2.0),
        )?;
    let grid = RGBAColor(0x80, 0x88, 0x90, 0.25);
    chart
        .configure_mesh()
        .bold_line_style(grid)
        .light_line_style(TRANSPARENT)
        .axis_style(IDEAL)
        .x_desc("workers")
        .y_desc("times as fast as on one")
        .label_style(font(13))
        .axis_desc_style(font(14))
        .x_label_formatter(&|value| format!("{value:.0}"))
        .y_label_formatter(&|value| match *value < 1.0 {
            true => format!("{value:.2}"),
            false => format!("{value:.0}"),
        })
        .draw()?;
    let ends = [(1.0, 1.0), (1024.0, 1024.0)];
    chart
        .draw_series(DashedLineSeries::new(ends, 6, 5, IDEAL.stroke_width(2)))?
        .label("ideal")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 22, y)], IDEAL.stroke_width(2)));
    let upper = points.iter().map(|(w, (_, upper))| (*w, *upper));
    chart
        .draw_series(LineSeries::new(upper, UPPER.stroke_width(3)))?
        .label("at most: workers, or work / span")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 22, y)], UPPER.stroke_width(3)));
    let lower = points.iter().map(|(w, (lower, _))| (*w, *lower));
    chart
        .draw_series(LineSeries::new(lower, LOWER.stroke_width(3)))?
        .label("at least, with the burden of forking")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 22, y)], LOWER.stroke_width(3)));
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .label_font(font(13).pos(Pos::new(HPos::Left, VPos::Center)))
        .border_style(TRANSPARENT)
        .draw()?;
    root.present()
}
