//! A picture encoded as AVIF: rav1e's tiles, and its loops over them.
use ravif::{Encoder, Img, RGB8};

fn main() {
    let (width, height) = (640, 480);
    let pixel = |at: usize| {
        let (x, y) = ((at % width) as f32, (at / width) as f32);
        let wave = |a: f32, b: f32| ((x * a + y * b).sin() * 100.0 + 128.0) as u8;
        RGB8::new(wave(0.02, 0.05), wave(0.11, -0.03), wave(0.003, 0.3))
    };
    let pixels: Vec<RGB8> = (0..width * height).map(pixel).collect();
    let encoder = Encoder::new().with_speed(8).with_quality(60.0);
    let encoded = encoder.encode_rgb(Img::new(&pixels, width, height));
    let file = encoded.expect("a picture").avif_file;
    let hash = file.iter().fold(0, |h: u64, &b| h.wrapping_mul(31).wrapping_add(b.into()));
    println!("{} bytes, {hash:x}", file.len());
}
