//! What the comparison that the adders follow has published of its own ones: the records of
//! parallel-bench (`bench_result.json`, an i9-12900K). Its times allow ratios only.

use std::collections::BTreeSet;

use super::results::facts;
use crate::page::Experiment;
use crate::stats::geometric_mean;
use crate::table::{Table, digits};

/// An adder there and here, and its geometric means over all sizes: the time of one rank over that
/// of two, and its time over C's on one rank and on two.
#[rustfmt::skip]
const PUBLISHED: [(&str, &str, [f64; 3]); 5] = [
    ("C", "c", [0.56, 1.0, 1.0]),
    ("Rust, MPI's C interface", "rust-mpi-binding", [0.55, 0.97, 0.98]),
    ("Rust, the crate `mpi`", "rust-mpi-wrapper", [0.76, 0.96, 0.71]),
    ("Rust, rayon", "rust-rayon", [1.42, 1.40, 0.55]),
    ("Julia", "julia", [1.72, 489.0, 159.0]),
];

/// The same means of the adders here, over the sizes that both cells have, beside the published.
pub(crate) fn beside_published(adders: &Experiment) -> Option<String> {
    let sizes: BTreeSet<u64> = adders.cells.keys().map(|cell| cell.size).collect();
    let median = |who, size, kernels| Some(facts(adders, (size, kernels), who)?.summary.median);
    let mean = |ratio: &dyn Fn(u64) -> Option<f64>| {
        geometric_mean(sizes.iter().filter_map(|&size| ratio(size)))
    };
    let head =
        "|speed-up of two ranks|published|over C, one rank|published|over C, two ranks|published";
    let mut table = Table::headed(head);
    for (name, who, published) in PUBLISHED {
        let here = [
            mean(&|size| Some(median(who, size, 1)? / median(who, size, 2)?)),
            mean(&|size| Some(median(who, size, 1)? / median("c", size, 1)?)),
            mean(&|size| Some(median(who, size, 2)? / median("c", size, 2)?)),
        ];
        let pairs = here.into_iter().zip(published);
        let cells = pairs.flat_map(|(here, there)| [here.map_or("".into(), digits), digits(there)]);
        table.row([name.to_string()].into_iter().chain(cells));
    }
    let note = "Geometric means over sizes. Published: by parallel-bench, on an i9-12900K.";
    mean(&|size| median("c", size, 1)).map(|_| format!("{table}\n{note}\n"))
}
