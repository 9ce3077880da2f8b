//! A picture made smaller without loss: many ways to filter it are tried at once.
mod random;
use oxipng::{BitDepth, ColorType, Options, RawImage};

fn main() {
    let (width, height) = (500, 350);
    let noise: Vec<u8> = random::numbers(1 << 10).map(|n| n as u8 >> 5).collect();
    let byte = |i: usize| {
        let (x, y) = (i / 3 % width, i / 3 / width);
        [(x / 3) as u8, (y / 2) as u8, (x * y / 900) as u8][i % 3] ^ noise[i * 13 % noise.len()]
    };
    let bytes = (0..3 * width * height).map(byte).collect();
    let color = ColorType::RGB { transparent_color: None };
    let image = RawImage::new(width as u32, height as u32, color, BitDepth::Eight, bytes);
    let png = image.expect("an image").create_optimized_png(&Options::from_preset(3));
    let png = png.expect("it is written");
    let hash = png.iter().fold(0, |h: u64, &b| h.wrapping_mul(31).wrapping_add(b.into()));
    println!("{} {hash:x}", png.len());
}
