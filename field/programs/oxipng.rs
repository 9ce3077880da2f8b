//! The smallest of many ways to compress a picture: ways are tried side by side.
use oxipng::{BitDepth, ColorType, Options, RawImage};

fn main() {
    let (width, height) = (320, 240);
    let byte = |i: u32| {
        let (x, y) = (i / 3 % width, i / 3 / width);
        [x / 3 + y / 5, (x * x + y * y) / 500, (x / 16 ^ y / 16) * 9][i as usize % 3] as u8
    };
    let bytes: Vec<u8> = (0..3 * width * height).map(byte).collect();
    let color = ColorType::RGB { transparent_color: None };
    let picture = RawImage::new(width, height, color, BitDepth::Eight, bytes).expect("it fits");
    for level in [2, 4] {
        let file = picture.create_optimized_png(&Options::from_preset(level)).expect("it is made");
        let hash = file.iter().fold(0, |h: u64, &b| h.wrapping_mul(31).wrapping_add(b.into()));
        println!("{} {hash:x}", file.len());
    }
}
