//! Shapes drawn by a renderer with threads: a pool of its own takes them from a channel.
mod random;
use vello_cpu::color::{AlphaColor, Srgb};
use vello_cpu::kurbo::{Circle, Shape};
use vello_cpu::{Pixmap, RenderContext, RenderSettings, Resources};

fn main() {
    let settings = RenderSettings { num_threads: 2, ..RenderSettings::default() };
    let (width, height) = (1_200, 900);
    let mut context = RenderContext::new_with(width, height, settings);
    let mut resources = Resources::new();
    let mut picture = Pixmap::new(width, height);
    let numbers: Vec<f64> = random::parts(6_000).collect();
    for frame in 0..6 {
        context.reset();
        for (i, p) in numbers.chunks_exact(3).enumerate() {
            let [r, g, b] = [p[0] as f32, p[1] as f32, p[2] as f32];
            context.set_paint(AlphaColor::<Srgb>::new([r, g, b, 0.7]));
            let middle = (p[0] * 1_200.0, p[1] * 900.0 + f64::from(frame));
            let circle = Circle::new(middle, p[2] * 40.0 + 2.0).to_path(0.1);
            match i % 2 {
                0 => context.fill_path(&circle),
                _ => context.stroke_path(&circle),
            }
        }
        context.flush();
        context.render(&mut picture, &mut resources);
        let hash = |h: u64, &b: &u8| h.wrapping_mul(31).wrapping_add(b.into());
        println!("{:x}", picture.data_as_u8_slice().iter().fold(0, hash));
    }
}
