//! Filters on a grey picture.
mod random;
use image::{GrayImage, Luma};

fn main() {
    let noise: Vec<u8> = random::numbers(1 << 14).map(|n| n as u8 / 2).collect();
    let pixel = |x: u32, y: u32| {
        let grain = noise[(x * 17 + y * 31) as usize % noise.len()];
        Luma([grain / 2 + (x / 8) as u8])
    };
    let picture = GrayImage::from_fn(900, 700, pixel);
    let hash = |image: &GrayImage| {
        image.iter().fold(0, |h: u64, &b| h.wrapping_mul(31).wrapping_add(b.into()))
    };
    let turned = imageproc::geometric_transformations::rotate_about_center(
        &picture,
        0.3,
        imageproc::geometric_transformations::Interpolation::Bicubic,
        Luma([0]),
    );
    println!("{:x}", hash(&turned));
    println!("{:x}", hash(&imageproc::contrast::adaptive_threshold(&turned, 9)));
    println!("{:x}", hash(&imageproc::filter::bilateral_filter(&picture, 7, 10.0, 3.0)));
}
