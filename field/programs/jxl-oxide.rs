//! A picture in JPEG XL, decoded a few times.
use jxl_oxide::JxlImage;
use zune_core::{bit_depth::BitDepth, colorspace::ColorSpace, options::EncoderOptions};
use zune_jpegxl::JxlSimpleEncoder;

fn main() {
    let (width, height) = (1_600, 1_200);
    let sample = |at: usize| {
        let (x, y) = (at / 3 % width, at / 3 / width);
        (x * x / 97 + y * 3 + at % 3 * 50 + (x ^ y) % 7) as u8
    };
    let samples: Vec<u8> = (0..width * height * 3).map(sample).collect();
    let options = EncoderOptions::new(width, height, ColorSpace::RGB, BitDepth::Eight);
    let mut file = Vec::new();
    JxlSimpleEncoder::new(&samples, options).encode(&mut file).expect("a picture");
    for _ in 0..3 {
        let image = JxlImage::builder().read(&file[..]).expect("a picture");
        let picture = image.render_frame(0).expect("it has a frame").image_all_channels();
        let hash = |h: u64, s: &f32| h.wrapping_mul(31).wrapping_add(s.to_bits().into());
        println!("{:x}", picture.buf().iter().fold(0, hash));
    }
}
