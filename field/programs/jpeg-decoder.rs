//! Pictures encoded by another crate, decoded with a thread for each component's rows.
use jpeg_encoder::{ColorType, Encoder};

fn main() {
    let (width, height) = (2000u16, 1500u16);
    let (w, h) = (usize::from(width), usize::from(height));
    let byte = |i: usize| {
        let (pixel, channel) = (i / 3, i % 3);
        [(pixel % w / 8) as u8, (pixel / w / 6) as u8, (pixel * 7 % 253) as u8 / 4][channel]
    };
    let pixels: Vec<u8> = (0..3 * w * h).map(byte).collect();
    let mut file = Vec::new();
    let encoder = Encoder::new(&mut file, 85);
    encoder.encode(&pixels, width, height, ColorType::Rgb).expect("it is encoded");
    for _ in 0..10 {
        let mut decoder = jpeg_decoder::Decoder::new(&file[..]);
        let pixels = decoder.decode().expect("it is decoded");
        let hash = |h: u64, &b: &u8| h.wrapping_mul(31).wrapping_add(b.into());
        println!("{:x}", pixels.iter().fold(0, hash));
    }
}
