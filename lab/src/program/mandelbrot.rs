//! The Mandelbrot set: a parallel loop over the rows of a picture, whose costs differ by far. From
//! domainslib's test programs. The answer is the sum of all steps until escape.

use super::library::{Loop, each_library, texts};

/// The most steps of a point.
const MOST: u32 = 200;

/// A picture of so many rows and columns.
pub(super) fn mandelbrot(size: usize) -> Loop<usize> {
    Loop::new(size, texts!(steps), steps(&size))
}

/// The steps of the points of a row.
fn row(size: usize, y: usize) -> u64 {
    let scale = 2.0 / size as f64;
    let cy = y as f64 * scale - 1.0;
    let points = (0..size).map(|x| point(x as f64 * scale - 1.5, cy));
    points.map(u64::from).sum()
}

/// The steps of a point until it is far away.
fn point(cx: f64, cy: f64) -> u32 {
    let (mut x, mut y) = (0.0, 0.0);
    for step in 0..MOST {
        let (xx, yy) = (x * x, y * y);
        if xx + yy > 4.0 {
            return step;
        }
        y = 2.0 * x * y + cy;
        x = xx - yy + cx;
    }
    MOST
}

fn steps(size: &usize) -> u64 {
    (0..*size).map(|y| row(*size, y)).sum()
}

each_library! {
    pub(super) fn steps(size: &usize) -> u64 {
        (0..*size).into_par_iter().map(|y| row(*size, y)).sum()
    }
}

#[cfg(test)]
#[test]
fn inside_outside_and_near() {
    assert_eq!(point(0.0, 0.0), MOST);
    assert_eq!(point(2.5, 0.0), 1);
    assert_eq!(point(-1.0, 0.0), MOST);
}
