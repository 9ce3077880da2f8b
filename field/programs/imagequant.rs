//! A picture reduced to 256 colours and dithered.
mod random;

fn main() {
    let (width, height) = (900, 600);
    let noise: Vec<u8> = random::numbers(1 << 12).map(|n| n as u8 >> 3).collect();
    let pixel = |i: usize| {
        let (x, y, n) = (i % width, i / width, noise[i * 7 % noise.len()]);
        imagequant::RGBA::new((x / 4) as u8 ^ n, (y / 3) as u8 + n / 2, (x * y / 2000) as u8, 255)
    };
    let pixels: Vec<_> = (0..width * height).map(pixel).collect();
    let mut attributes = imagequant::new();
    attributes.set_speed(3).expect("a speed");
    let image = attributes.new_image(pixels, width, height, 0.0);
    let mut image = image.expect("an image");
    let mut result = attributes.quantize(&mut image).expect("a palette");
    result.set_dithering_level(1.0).expect("a level");
    let (palette, pixels) = result.remapped(&mut image).expect("pixels");
    let hash = pixels.iter().fold(0, |h: u64, &p| h.wrapping_mul(31).wrapping_add(p.into()));
    println!("{} colours, {hash:x}", palette.len());
}
