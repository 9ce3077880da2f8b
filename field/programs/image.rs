//! A picture computed pixel by pixel, and changed by loops over its pixels.
use image::{Rgb, RgbImage};
use rayon::prelude::*;

/// How many steps a point of the plane takes to leave the circle.
fn steps(x: u32, y: u32) -> u8 {
    let (re, im) = (f64::from(x) / 400.0 - 2.2, f64::from(y) / 400.0 - 1.2);
    let (mut a, mut b) = (re, im);
    (0..200).take_while(|_| {
        (a, b) = (a * a - b * b + re, 2.0 * a * b + im);
        a * a + b * b < 4.0
    }).count() as u8
}

fn main() {
    let point = |x: u32, y: u32| Rgb([steps(x, y), (x / 5) as u8, (y / 4) as u8]);
    let mut picture = RgbImage::from_par_fn(1_200, 960, point);
    for step in 0..60u8 {
        picture.par_pixels_mut().for_each(|p| p.0[1] = (p.0[1] / 2).wrapping_add(p.0[0] ^ step));
        picture.par_enumerate_pixels_mut().for_each(|(x, _, p)| p.0[2] ^= x as u8);
    }
    let bright = picture.par_pixels().filter(|p| p.0.iter().all(|&b| b > 100)).count();
    let hash = picture.iter().fold(0, |h: u64, &b| h.wrapping_mul(31).wrapping_add(b.into()));
    println!("{bright} {hash:x}");
}
