//! The figure of simulated speed-ups: against the number of workers, both logarithmic, with the
//! ideal line and the published points.

use plotters::prelude::*;

/// A line of the figure.
pub(crate) struct Curve {
    pub(crate) name: String,
    /// Workers and speed-up.
    pub(crate) points: Vec<(f64, f64)>,
}

/// What others have measured: workers, speed-up over one thread, whose.
pub(crate) const PUBLISHED: [(f64, f64, &str); 3] = [
    (4.0, 3.3, "Spice"),
    (16.0, 11.0, "Spice"),
    (16.0, 14.0, "rayon"),
];

const COLOURS: [RGBColor; 6] = [
    RGBColor(0x1b, 0x6e, 0xc2),
    RGBColor(0xd9, 0x5f, 0x02),
    RGBColor(0x2a, 0x9d, 0x5c),
    RGBColor(0x9a, 0x4d, 0xb0),
    RGBColor(0xc2, 0x2e, 0x4e),
    RGBColor(0x7a, 0x6a, 0x2f),
];

/// The figure as SVG.
pub(crate) fn draw(what: &str, curves: &[Curve], published: bool) -> Result<String, String> {
    let mut svg = String::new();
    draw_into(&mut svg, what, curves, published).map_err(|why| format!("cannot draw: {why}"))?;
    Ok(svg)
}

fn draw_into(
    svg: &mut String,
    what: &str,
    curves: &[Curve],
    published: bool,
) -> Result<(), Box<dyn std::error::Error>> {
    let all = || curves.iter().flat_map(|curve| curve.points.iter().copied());
    let most = all().map(|(x, _)| x).fold(16.0, f64::max);
    let least = all().map(|(_, y)| y).fold(1.0, f64::min).max(1e-3);
    let root = SVGBackend::with_string(svg, (800, 560)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(format!("SIMULATED: {what}"), ("sans-serif", 20))
        .margin(14)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(
            (1.0..most * 1.2).log_scale().base(2.0),
            (least * 0.8..most * 1.2).log_scale().base(2.0),
        )?;
    chart
        .configure_mesh()
        .x_desc("workers")
        .y_desc("speed-up over one worker")
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y}"))
        .light_line_style(WHITE)
        .draw()?;
    let grey = RGBColor(0x88, 0x88, 0x88);
    chart
        .draw_series(LineSeries::new([(1.0, 1.0), (most, most)], grey))?
        .label("ideal")
        .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], grey));
    for (curve, colour) in curves.iter().zip(COLOURS.iter().cycle()) {
        let colour = *colour;
        chart
            .draw_series(LineSeries::new(
                curve.points.iter().copied(),
                colour.stroke_width(2),
            ))?
            .label(curve.name.clone())
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
        let dots = curve.points.iter();
        chart.draw_series(dots.map(|&point| Circle::new(point, 3, colour.filled())))?;
    }
    if published {
        chart.draw_series(PUBLISHED.iter().map(|&(x, y, who)| {
            EmptyElement::at((x, y))
                + Cross::new((0, 0), 6, BLACK.stroke_width(2))
                + Text::new(format!("{who}, published"), (10, -4), ("sans-serif", 13))
        }))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(grey)
        .draw()?;
    root.present()?;
    Ok(())
}
