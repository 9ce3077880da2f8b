//! Visits that were never measured: every adder on some sizes and numbers of kernels, and one that
//! failed.

use crate::adders::visit::Seen;
use crate::adders::{ADDERS, Cell, NAME};
use crate::page::tests::fixture::line;
use crate::program::random::fraction;
use crate::results::{FailureKind, Line, Outcome};

const LOGS: [u32; 5] = [20, 22, 24, 26, 29];
const KERNELS: [usize; 5] = [1, 2, 4, 8, 16];
/// Of the machine that does not exist.
const CORES: usize = 2;
const WARM: u64 = 5;

/// A visit to an adder.
pub(super) fn visit(cell: Cell, adder: &str, round: u32, outcome: Outcome) -> Line {
    line(NAME, cell.of(adder), round, outcome)
}

/// The visits.
pub(super) fn visits() -> Vec<Line> {
    let mut place = 0;
    let mut about = |us: f64| {
        place += 1;
        (us * (1.0 + 0.1 * fraction(place)) * 10.0).round() / 10.0
    };
    let mut visits = Vec::new();
    for (input_size, kernel_count) in LOGS
        .iter()
        .flat_map(|log| KERNELS.map(|kernels| (1 << log, kernels)))
    {
        let cell = Cell {
            input_size,
            kernel_count,
        };
        for adder in ADDERS.map(|adder| adder.name) {
            let (of_mib, of_kernel) = cost(adder);
            let add = (input_size >> 20) as f64 * of_mib / kernel_count.min(CORES) as f64;
            let us = add + (kernel_count - 1) as f64 * of_kernel;
            let seen = Seen {
                sum: 7,
                ranks: kernel_count,
                threads: 1,
                load_us: about(2.0 * us),
                cold_us: about(1.5 * us),
                warm_us: (0..WARM).map(|_| about(us)).collect(),
            };
            let measured = seen.measured(input_size, about(10.0 * us + 5e3));
            let outcome = match (adder, input_size, kernel_count) {
                ("julia", 0x2000_0000, 16) => {
                    let why = "wrong sum: <8> instead of 7";
                    Outcome::failed(FailureKind::WrongAnswer, why.into())
                }
                _ => Outcome::Measured(Box::new(measured)),
            };
            visits.push(visit(cell, adder, 0, outcome));
        }
    }
    visits
}

/// Microseconds for a MiB and for a kernel.
fn cost(adder: &str) -> (f64, f64) {
    match adder {
        "floor" => (43.0, 1.0),
        "sumac" => (45.0, 2.0),
        "sumac-mpi" => (46.0, 6.0),
        "sumac-mpi-messages" => (90.0, 9.0),
        "rust-rayon" => (52.0, 5.0),
        "c" => (110.0, 20.0),
        "c-first" => (420.0, 60.0),
        "rust-mpi-binding" => (115.0, 22.0),
        "rust-mpi-wrapper" => (125.0, 26.0),
        "julia" => (135.0, 40.0),
        "rust-mpi-binding-first" => (425.0, 62.0),
        "rust-mpi-wrapper-first" => (430.0, 64.0),
        _ => (440.0, 70.0),
    }
}
