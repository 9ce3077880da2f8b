//! How contenders are told apart: each has a colour, a dash and a mark of its own, the same in
//! every figure, so that no reader needs the colours.

use super::canvas::{BLUE, Colour, Dash, GREEN, INK, MUTED, Mark, ORANGE, PURPLE, SKY, VERMILION};

/// A line's colour, dash and mark.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) colour: Colour,
    pub(crate) dash: Dash,
    pub(crate) mark: Mark,
}

const fn new(colour: Colour, dash: Dash, mark: Mark) -> Look {
    Look { colour, dash, mark }
}

/// What is drawn for comparison: the ideal.
pub(crate) const IDEAL: Look = new(MUTED, Some((4, 8)), Mark::None);

/// What cannot be told from chance.
pub(crate) const NOISE: Look = new(MUTED, Some((4, 8)), Mark::None);

/// The look of a contender; of one that is not known, one of some by its number.
pub(crate) fn look(contender: &str, number: usize) -> Look {
    const OTHERS: [Look; 4] = [
        new(ORANGE, None, Mark::Diamond),
        new(SKY, Some((14, 6)), Mark::Down),
        new(PURPLE, None, Mark::Cross),
        new(GREEN, Some((6, 6)), Mark::Square),
    ];
    match contender {
        "baseline" => new(INK, Some((18, 8)), Mark::None),
        "right-first" => new(MUTED, Some((18, 8)), Mark::None),
        "static-split" => new(MUTED, Some((10, 6)), Mark::Cross),
        "rayon" => new(VERMILION, None, Mark::Square),
        "chili" => new(PURPLE, Some((16, 6)), Mark::Diamond),
        "sumac-join" => new(GREEN, Some((8, 5)), Mark::Up),
        "sumac-scope" => new(BLUE, None, Mark::Disc),
        _ => OTHERS[number % OTHERS.len()],
    }
}
