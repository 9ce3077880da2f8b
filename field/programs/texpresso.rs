//! Textures for graphics processors: a picture compressed in blocks of pixels, and decompressed.
use texpresso::{Format, Params};

fn main() {
    let (width, height) = (320, 256);
    let byte = |i: usize| {
        let (x, y) = (i / 4 % width, i / 4 / width);
        [x * y / 64, x + y * 3 / 2, (x ^ y) * 2, 255 - x / 4][i % 4] as u8
    };
    let pixels: Vec<u8> = (0..4 * width * height).map(byte).collect();
    let hash = |h: u64, &b: &u8| h.wrapping_mul(31).wrapping_add(b.into());
    for format in [Format::Bc1, Format::Bc2, Format::Bc3, Format::Bc4, Format::Bc5] {
        let mut blocks = vec![0; format.compressed_size(width, height)];
        format.compress(&pixels, width, height, Params::default(), &mut blocks);
        let mut back = vec![0; pixels.len()];
        format.decompress(&blocks, width, height, &mut back);
        println!("{:x} {:x}", blocks.iter().fold(0, hash), back.iter().fold(0, hash));
    }
}
