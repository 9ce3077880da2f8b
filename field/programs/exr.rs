//! A picture written with compression, block by block on its own pool, and read again.
mod random;
use exr::prelude::*;
use std::io::Cursor;

fn main() {
    let (width, height) = (1200, 800);
    let noise: Vec<f32> = random::parts(4096).map(|x| x as f32 * 0.01).collect();
    let pixel = |p: Vec2<usize>| {
        let grey = (p.0 as f32 / 50.0).sin() + noise[(p.0 * 31 + p.1) % 4096];
        (grey, p.1 as f32 / 800.0, grey * grey)
    };
    for compression in [Compression::ZIP16, Compression::PIZ] {
        let encoding = Encoding { compression, ..Encoding::FAST_LOSSLESS };
        let channels = SpecificChannels::rgb(pixel);
        let layer = Layer::new((width, height), LayerAttributes::default(), encoding, channels);
        let mut file = Cursor::new(Vec::new());
        let image = Image::from_layer(layer);
        image.write().to_buffered(&mut file).expect("it is written");
        let bytes = file.into_inner();
        let read = read().no_deep_data().largest_resolution_level().all_channels();
        let read = read.first_valid_layer().all_attributes();
        let image = read.from_buffered(Cursor::new(&bytes)).expect("it is read");
        let channels = &image.layer_data.channel_data.list;
        let samples = channels.iter().flat_map(|c| c.sample_data.values_as_f32());
        let hash = samples.fold(0, |h: u64, x| h.rotate_left(1) ^ u64::from(x.to_bits()));
        println!("{} {hash:x}", bytes.len());
    }
}
