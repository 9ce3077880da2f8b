//! Results in order: pieces of a file are read, compressed by two threads, and written in order, at
//! most eight ahead of what has been written.
//!
//!     cargo run --release -p sumac-builds --example ordered [--json] [ROUNDS]
//!
//! Beside the sequential program, the crate `pariter`, and what programs on rayon do: a loop sends
//! its results through a channel, whose other end puts them in order and bounds nothing.

use flate2::{Compression, write::DeflateEncoder};
use pariter::IteratorExt;
use ruzstd::encoding::CompressionLevel;
use std::{
    collections::BTreeMap,
    io::Write,
    process::ExitCode,
    sync::{
        atomic::{AtomicUsize, Ordering::Relaxed},
        mpsc,
    },
    time::Instant,
};
use sumac::{ThreadPool, ThreadPoolBuilder, prelude::*};
use sumac_record::{Asked, Cell, Measured, Turns};

const THREADS: usize = 2;
const BOUND: usize = 8;
/// The sizes of pieces, and how many there are.
const PIECES: [(usize, usize); 2] = if cfg!(debug_assertions) {
    [(256, 40), (4_096, 8)]
} else {
    [(64 << 10, 256), (1 << 20, 24)]
};
const CONTENDERS: [&str; 5] = [
    "baseline",
    "pariter",
    "rayon",
    "sumac iterator",
    "sumac loop",
];

/// Compresses bytes.
type Codec = fn(&[u8]) -> Vec<u8>;

const CODECS: [(&str, Codec); 2] = [
    ("deflate", |bytes| {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).expect("memory takes all");
        encoder.finish().expect("memory takes all")
    }),
    ("zstd", |bytes| {
        ruzstd::encoding::compress_to_vec(bytes, CompressionLevel::Fastest)
    }),
];

/// The number of pieces that have been read and not been written, and the greatest one.
static ALIVE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

/// The bytes of a piece, compressed or not.
struct Piece(Vec<u8>);

impl Piece {
    /// Text of few words.
    fn read(number: usize, size: usize) -> Piece {
        MOST.fetch_max(ALIVE.fetch_add(1, Relaxed) + 1, Relaxed);
        let mut random = fastrand::Rng::with_seed(number as u64);
        let words = ["fork ", "join ", "steal ", "promote ", "latch ", "worker "];
        let mut bytes = Vec::with_capacity(size + 8);
        while bytes.len() < size {
            bytes.extend_from_slice(words[random.usize(..words.len())].as_bytes());
        }
        Piece(bytes)
    }

    fn compress(mut self, codec: Codec) -> Piece {
        self.0 = codec(&self.0);
        self
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Relaxed);
    }
}

/// Returns the nanoseconds of a contender, those until its first piece was written, and the most
/// pieces that were alive.
fn turn(
    (sumac, rayon): (&ThreadPool, &rayon::ThreadPool),
    contender: usize,
    (size, count): (usize, usize),
    codec: Codec,
    all: &[u8],
) -> [f64; 3] {
    MOST.store(0, Relaxed);
    let read = move |number| Piece::read(number, size);
    let compress = move |piece: Piece| piece.compress(codec);
    let begin = Instant::now();
    let nanos = || begin.elapsed().as_nanos() as f64;
    let (mut first, mut file) = (None, Vec::new());
    let mut write = |piece: Piece| {
        first.get_or_insert_with(nanos);
        file.extend_from_slice(&piece.0);
    };
    let pieces = (0..count).map(read);
    match contender {
        0 => pieces.for_each(|piece| write(compress(piece))),
        1 => pieces
            .parallel_map_custom(|o| o.threads(THREADS).buffer_size(BOUND), compress)
            .for_each(write),
        2 => rayon.in_place_scope(|scope| {
            let (send, receive) = mpsc::channel();
            scope.spawn(move |_| {
                use rayon::iter::{IntoParallelIterator, ParallelIterator};
                let numbers = IntoParallelIterator::into_par_iter(0..count);
                ParallelIterator::for_each_with(numbers, send, |send, number| {
                    let result = (number, compress(read(number)));
                    send.send(result).expect("received");
                });
            });
            let (mut early, mut next) = (BTreeMap::new(), 0);
            for (number, piece) in receive {
                early.insert(number, piece);
                while let Some(piece) = early.remove(&next) {
                    write(piece);
                    next += 1;
                }
            }
        }),
        3 => sumac.install(|| {
            let results = pieces.par_map_ordered(BOUND, compress);
            results.for_each(write);
        }),
        _ => sumac.install(|| {
            let results = (0..count).into_par_iter().map(|n| compress(read(n)));
            results.for_each_ordered(BOUND, write);
        }),
    }
    let time = nanos();
    assert!(file == all, "the sequential program writes others");
    let first = first.unwrap_or_default();
    [time, first, MOST.load(Relaxed) as f64]
}

fn main() -> ExitCode {
    Asked::run("ordered", 1, |asked, records| {
        let rayon = rayon::ThreadPoolBuilder::new().num_threads(THREADS);
        let sumac = ThreadPoolBuilder::new().num_threads(THREADS);
        let (sumac, rayon) = (sumac.build()?, rayon.build()?);
        for ((name, codec), (size, count)) in
            CODECS.into_iter().flat_map(|c| PIECES.map(|p| (c, p)))
        {
            let compressed = |n| Piece::read(n, size).compress(codec).0.clone();
            let all: Vec<u8> = (0..count).flat_map(compressed).collect();
            let turn = |_, of| {
                Ok::<_, String>(vec![turn((&sumac, &rayon), of, (size, count), codec, &all)])
            };
            let taken = Turns::of(asked.rounds).take(CONTENDERS.len(), turn)?;
            for (contender, times) in CONTENDERS.into_iter().zip(taken) {
                let threads = if contender == "baseline" { 1 } else { THREADS };
                let cell = Cell {
                    size: size as u64,
                    ..Cell::of(name, contender, threads)
                };
                let most = |of: usize| times.iter().map(|t| t[of]).fold(0.0, f64::max);
                let further = [("first", most(1)), ("alive", most(2))];
                let measured = Measured {
                    pieces: count as u64,
                    batch: 1,
                    samples: times.iter().map(|times| times[0]).collect(),
                    further: further.map(|(name, of)| (name.to_owned(), of)).into(),
                    ..Measured::default()
                };
                records.push(cell, measured);
            }
        }
        Ok(())
    })
}
