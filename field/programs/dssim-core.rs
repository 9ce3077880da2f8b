//! How much two pictures differ to the eye.
mod random;

fn main() {
    let (width, height) = (1000, 700);
    let noise: Vec<u8> = random::numbers(1 << 12).map(|n| n as u8 >> 4).collect();
    let picture = |noisy: bool| {
        let pixel = |i: usize| {
            let n = if noisy { noise[i * 5 % noise.len()] } else { 0 };
            let (x, y) = (i % width / 4, i / width / 3);
            rgb::RGB::new(x as u8 + n / 2, y as u8, (i % 251) as u8 / 2 + n)
        };
        (0..width * height).map(pixel).collect::<Vec<rgb::RGB<u8>>>()
    };
    let dssim = dssim_core::Dssim::new();
    let image = |noisy| dssim.create_image_rgb(&picture(noisy), width, height).expect("an image");
    let (original, changed) = (image(false), image(true));
    let (difference, _) = dssim.compare(&original, changed);
    println!("{:.9}", f64::from(difference));
}
