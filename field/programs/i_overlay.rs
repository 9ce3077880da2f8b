//! The union, difference and intersection of thousands of squares.
use i_overlay::core::{fill_rule::FillRule, overlay_rule::OverlayRule};
use i_overlay::float::single::SingleFloatOverlay;

fn squares(count: i32, shift: f64) -> Vec<Vec<[f64; 2]>> {
    let places = (0..count * count).map(|i| (f64::from(i % count), f64::from(i / count)));
    let square = |(x, y): (f64, f64)| {
        let (x, y) = (x * 10.0 + shift, y * 10.0 + shift);
        vec![[x, y], [x + 7.0, y], [x + 7.0, y + 7.0], [x, y + 7.0]]
    };
    places.map(square).collect()
}

fn main() {
    let (a, b) = (squares(110, 0.0), squares(110, 4.0));
    for rule in [OverlayRule::Union, OverlayRule::Difference, OverlayRule::Intersect] {
        let shapes = a.overlay(&b, rule, FillRule::NonZero);
        let points: usize = shapes.iter().flatten().map(|contour| contour.len()).sum();
        println!("{} shapes, {points} points", shapes.len());
    }
}
