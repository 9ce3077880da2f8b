//! Figures: what is drawn of an experiment is chosen in `choose.rs`, how it is drawn is in the
//! other files. A figure is an SVG document; `picture.rs` gives it a title for those who do not see
//! it, dark colours, and makes the PNG.

mod axis;
mod bars;
mod canvas;
mod lines;
mod look;
mod picture;
mod rows;

pub(crate) use axis::Axis;
pub(crate) use bars::{Bar, bars};
pub(crate) use canvas::{Colour, Mark};
pub(crate) use lines::{Line, Lines, Point, extent};
pub(crate) use look::{Look, NOISE, look};
pub(crate) use picture::{Painter, dark};
pub(crate) use rows::{Dot, Row, dots, stack};

/// Something to look at.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    /// Its file's name without the ending, and its anchor.
    pub(crate) id: String,
    /// What it shows.
    pub(crate) title: String,
    /// How to read it.
    pub(crate) caption: String,
    /// The drawing.
    pub(crate) svg: String,
}
