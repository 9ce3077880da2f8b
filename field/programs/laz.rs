//! A cloud of points compressed and decompressed, chunk by chunk.
mod random;
use laz::laszip::ChunkTable;
use laz::{LazItemRecordBuilder, LazItemType, LazVlrBuilder};
use std::io::Cursor;

fn main() {
    let mut items = LazItemRecordBuilder::new();
    items.add_item(LazItemType::Point10).add_item(LazItemType::GpsTime);
    let items = items.build();
    let vlr = LazVlrBuilder::new(items).build();
    let size = vlr.items_size() as usize;
    let mut points = Vec::new();
    for (i, n) in random::numbers(600_000).enumerate() {
        let start = points.len();
        let place = [i as i32 * 3 + (n & 15) as i32, (n >> 8 & 255) as i32, (n >> 20 & 63) as i32];
        points.extend(place.iter().flat_map(|x| x.to_le_bytes()));
        points.resize(start + size - 8, 0);
        points.extend((i as f64 * 0.25).to_le_bytes());
    }
    let mut file = Cursor::new(Vec::new());
    laz::par_compress_buffer(&mut file, &points, &vlr).expect("it is compressed");
    let bytes = file.into_inner();
    let hash = bytes.iter().fold(0, |h: u64, &b| h.wrapping_mul(31).wrapping_add(b.into()));
    let mut back = vec![0; points.len()];
    let chunks = ChunkTable::read_from(Cursor::new(&bytes), &vlr).expect("it has a table");
    // The points follow the place of the table, which is a number.
    laz::par_decompress(&bytes[8..], &mut back, &vlr, chunks.as_ref()).expect("it is decompressed");
    println!("{} {hash:x} {}", bytes.len(), back == points);
}
