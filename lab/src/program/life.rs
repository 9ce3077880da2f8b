//! The game of life on a square that is a torus, some generations of it: a parallel loop over the
//! rows of the next generation, every generation. From domainslib's test programs.

use super::random::{digest, scatter};
use super::work::Work;
use super::{by_library, each_library};
use crate::contender::Contender;
use crate::problem::Problem;

/// Generations.
const GENERATIONS: usize = 32;

/// A generation, row by row, and room for the next.
type Boards = (Vec<u8>, Vec<u8>);

/// A square of cells.
pub(crate) struct Life {
    size: usize,
    work: Work<Boards>,
    expected: u64,
}

impl Life {
    /// Of so many rows; a third of the cells are alive.
    pub(crate) fn new(size: usize) -> Life {
        let alive = |place| u8::from(scatter(place as u64) % 3 == 0);
        let cells: Vec<u8> = (0..size * size).map(alive).collect();
        let mut boards = (cells.clone(), cells);
        let work = Work::new(boards.clone());
        live(&mut boards, size, GENERATIONS);
        Life {
            size,
            work,
            expected: population(&boards),
        }
    }
}

fn population(boards: &Boards) -> u64 {
    digest(boards.0.iter().map(|cell| u64::from(*cell)))
}

/// A row of the next generation.
fn row(before: &[u8], size: usize, y: usize, next: &mut [u8]) {
    let line = |y: usize| &before[y % size * size..][..size];
    let lines = [line(y + size - 1), line(y), line(y + 1)];
    for (x, cell) in next.iter_mut().enumerate() {
        let (left, right) = ((x + size - 1) % size, (x + 1) % size);
        let around: u8 = lines.iter().map(|l| l[left] + l[x] + l[right]).sum();
        *cell = u8::from(around == 3 || around == 4 && lines[1][x] == 1);
    }
}

fn live((now, next): &mut Boards, size: usize, generations: usize) {
    for _ in 0..generations {
        for (y, line) in next.chunks_exact_mut(size).enumerate() {
            row(now, size, y, line);
        }
        std::mem::swap(now, next);
    }
}

each_library! {
    pub(super) fn live((now, next): &mut Boards, size: usize, generations: usize) {
        for _ in 0..generations {
            next.par_chunks_exact_mut(size)
                .enumerate()
                .for_each(|(y, line)| row(now, size, y, line));
            std::mem::swap(now, next);
        }
    }
}

impl Problem for Life {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        by_library!(C => live(&mut self.work.lock(), self.size, GENERATIONS));
        0
    }

    fn expected(&self) -> u64 {
        self.expected
    }

    fn in_place(&self) -> bool {
        true
    }

    fn reset(&self) {
        self.work.reset();
    }

    fn answer(&self, _returned: u64) -> u64 {
        population(&self.work.lock())
    }
}

#[cfg(test)]
#[test]
fn a_glider_returns_one_step_further() {
    let glider = |dx: usize| {
        let mut cells = vec![0; 64];
        for (x, y) in [(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)] {
            cells[(y + dx) * 8 + x + dx] = 1;
        }
        cells
    };
    let mut boards = (glider(0), vec![0; 64]);
    live(&mut boards, 8, 4);
    assert_eq!(boards.0, glider(1));
}
