//! A picture made smaller and larger by several filters.
mod random;
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer, images::Image};

fn main() {
    let (width, height) = (3000, 2000);
    let bytes = random::numbers(u64::from(width * height) / 2).flat_map(u64::to_le_bytes);
    let source = Image::from_vec_u8(width, height, bytes.collect(), PixelType::U8x4);
    let source = source.expect("as many bytes as it has");
    let mut resizer = Resizer::new();
    for filter in [FilterType::Lanczos3, FilterType::Mitchell, FilterType::Bilinear] {
        for (width, height) in [(640, 480), (1999, 1501), (3500, 2500)] {
            let mut image = Image::new(width, height, PixelType::U8x4);
            let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(filter));
            resizer.resize(&source, &mut image, &options).expect("sizes that fit");
            let hash = |h: u64, &b: &u8| h.wrapping_mul(31).wrapping_add(b.into());
            println!("{:x}", image.buffer().iter().fold(0, hash));
        }
    }
}
