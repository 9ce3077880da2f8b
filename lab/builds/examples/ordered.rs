//! Results in order: pieces of a file are read, compressed by two threads, and written in order, at
//! most eight ahead of what has been written.
//!
//!     cargo run --release -p sumac-builds --example ordered [--json] [ROUNDS]
//!
//! Beside the sequential program, the crate `pariter`, and what programs on rayon do: a loop sends
//! its results through a channel, whose other end puts them in order and bounds nothing.

use flate2::{Compression, write::DeflateEncoder};
use pariter::IteratorExt;
use std::{
    collections::BTreeMap,
    io::Write,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
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

/// The number of pieces that have been read and not been written, and the greatest one.
#[derive(Default)]
struct Alive {
    now: AtomicUsize,
    most: AtomicUsize,
}

/// A piece, compressed or not.
struct Piece {
    bytes: Vec<u8>,
    alive: Arc<Alive>,
}

impl Piece {
    /// Text of few words.
    fn read(number: usize, size: usize, alive: &Arc<Alive>) -> Piece {
        let now = alive.now.fetch_add(1, Ordering::Relaxed) + 1;
        alive.most.fetch_max(now, Ordering::Relaxed);
        let mut random = fastrand::Rng::with_seed(number as u64);
        let words = ["fork ", "join ", "steal ", "promote ", "latch ", "worker "];
        let mut bytes = Vec::with_capacity(size + 8);
        while bytes.len() < size {
            bytes.extend_from_slice(words[random.usize(..words.len())].as_bytes());
        }
        let alive = Arc::clone(alive);
        Piece { bytes, alive }
    }

    fn compress(mut self) -> Piece {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&self.bytes).expect("memory takes all");
        self.bytes = encoder.finish().expect("memory takes all");
        self
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.alive.now.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Where pieces are written.
struct File {
    begin: Instant,
    first: Option<f64>,
    bytes: Vec<u8>,
}

impl File {
    fn write(&mut self, piece: Piece) {
        let now = || self.begin.elapsed().as_nanos() as f64;
        self.first.get_or_insert_with(now);
        self.bytes.extend_from_slice(&piece.bytes);
    }
}

struct Pools {
    sumac: ThreadPool,
    rayon: rayon::ThreadPool,
}

/// Returns the nanoseconds of a contender, those until its first piece was written, and the most
/// pieces that were alive.
fn turn(pools: &Pools, contender: usize, (size, count): (usize, usize), all: &[u8]) -> [f64; 3] {
    let alive = Arc::new(Alive::default());
    let counter = Arc::clone(&alive);
    let read = move |number| Piece::read(number, size, &counter);
    let begin = Instant::now();
    let (first, bytes) = (None, Vec::new());
    let mut file = File {
        begin,
        first,
        bytes,
    };
    let pieces = (0..count).map(read.clone());
    match contender {
        0 => pieces.for_each(|piece| file.write(piece.compress())),
        1 => pieces
            .parallel_map_custom(|o| o.threads(THREADS).buffer_size(BOUND), Piece::compress)
            .for_each(|piece| file.write(piece)),
        2 => pools.rayon.in_place_scope(|scope| {
            let (send, receive) = mpsc::channel();
            scope.spawn(move |_| {
                use rayon::iter::{IntoParallelIterator, ParallelIterator};
                let numbers = IntoParallelIterator::into_par_iter(0..count);
                let work = |send: &mut mpsc::Sender<_>, number| {
                    send.send((number, read(number).compress()))
                        .expect("received");
                };
                ParallelIterator::for_each_with(numbers, send, work);
            });
            let (mut early, mut next) = (BTreeMap::new(), 0);
            for (number, piece) in receive {
                early.insert(number, piece);
                while let Some(piece) = early.remove(&next) {
                    file.write(piece);
                    next += 1;
                }
            }
        }),
        3 => pools.sumac.install(|| {
            let results = pieces.par_map_ordered(BOUND, Piece::compress);
            results.for_each(|piece| file.write(piece));
        }),
        _ => pools.sumac.install(|| {
            let results = (0..count)
                .into_par_iter()
                .map(|number| read(number).compress());
            results.for_each_ordered(BOUND, |piece| file.write(piece));
        }),
    }
    let time = begin.elapsed().as_nanos() as f64;
    assert!(
        all.is_empty() || file.bytes == all,
        "the sequential program writes others"
    );
    let most = alive.most.load(Ordering::Relaxed) as f64;
    [time, file.first.unwrap_or_default(), most]
}

fn main() -> ExitCode {
    Asked::run("ordered", 1, |asked, records| {
        let rayon = rayon::ThreadPoolBuilder::new().num_threads(THREADS);
        let sumac = ThreadPoolBuilder::new().num_threads(THREADS);
        let pools = Pools {
            sumac: sumac.build()?,
            rayon: rayon.build()?,
        };
        for pieces in PIECES {
            let all: Vec<u8> = {
                let alive = Arc::default();
                let number = 0..pieces.1;
                number
                    .flat_map(|n| Piece::read(n, pieces.0, &alive).compress().bytes.clone())
                    .collect()
            };
            let turn = |_, of| Ok::<_, String>(vec![turn(&pools, of, pieces, &all)]);
            let taken = Turns::of(asked.rounds).take(CONTENDERS.len(), turn)?;
            for (contender, times) in CONTENDERS.into_iter().zip(taken) {
                let threads = if contender == "baseline" { 1 } else { THREADS };
                let cell = Cell {
                    size: pieces.0 as u64,
                    ..Cell::of("deflate", contender, threads)
                };
                let most = |of: usize| times.iter().map(|t| t[of]).fold(0.0, f64::max);
                let further = [("first", most(1)), ("alive", most(2))];
                let measured = Measured {
                    pieces: pieces.1 as u64,
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
