//! What an adder says is believed only if it is right; inputs are what they are said to be; figures
//! follow from lines.

use std::fs;

use super::input::Input;
use super::results::cell_of;
use super::visit::{Seen, judged};
use super::*;
use crate::page::tests::fixture::line;
use crate::page::{Experiment, gathered};
use crate::results::{FailureKind, Line, Outcome};

const SAYS: &str = r#"{"adder":"c","sum":7,"ranks":2,"threads":1,"load_us":1.25,"cold_us":2.0,"warm_us":[3.0,5.0]}"#;

#[test]
fn only_right_answers_are_believed() {
    let judge = |says: &str, who, sum| judged(says.as_bytes(), who, sum);
    let right = judge(SAYS, (2, 2), 7).expect("it is right");
    let measured = right.measured(9, 9.0);
    assert_eq!(measured.samples, [3000.0, 5000.0]);
    assert_eq!((measured.pieces, measured.answer), (9, 7));
    let further = [("cold", 2000.0), ("load", 1250.0), ("wall", 9000.0)];
    let further = further.map(|(name, ns)| (name.to_string(), ns));
    assert_eq!(measured.further, further.into());
    let alone = judge(&SAYS.replace("3.0,5.0", ""), (2, 0), 7).expect("it is right");
    assert_eq!(alone.measured(9, 9.0).samples, [2000.0], "the cold pass");
    for (says, who, sum, why) in [
        (SAYS, (2, 2), 8, "wrong sum: 7 instead of 8"),
        (SAYS, (3, 2), 7, "2 ranks of 1 threads instead of 3"),
        (SAYS, (2, 3), 7, "2 warm passes instead of 3"),
        ("", (2, 2), 7, "something else"),
        (&SAYS.repeat(2), (2, 2), 7, "something else"),
    ] {
        let said = judge(says, who, sum).expect_err(why);
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn inputs_have_their_size_and_sum_and_leave() {
    for size in [0, 1, 7, (1 << 20) + 3] {
        let input = Input::new(&std::env::temp_dir(), size, 1).expect("a temporary file");
        let bytes = fs::read(input.path()).expect("the input");
        assert_eq!(bytes.len() as u64, size);
        assert_eq!(
            bytes.iter().map(|&byte| u64::from(byte)).sum::<u64>(),
            input.sum
        );
        let path = input.path().to_path_buf();
        drop(input);
        assert!(!path.exists());
    }
}

/// Adders that need 20 microseconds for a MiB and kernel, times their number.
fn lines() -> Vec<Line> {
    let mut lines = Vec::new();
    for (log, kernels) in [20, 21, 22, 29]
        .into_iter()
        .flat_map(|log| [1, 2, 4].map(|k| (log, k)))
    {
        let at: At = (1 << log, kernels);
        for (number, adder) in ADDERS.iter().enumerate() {
            let us = (at.0 >> 20) as f64 * 20.0 * (number + 1) as f64 / kernels as f64;
            let seen = Seen {
                sum: 7,
                ranks: 1,
                threads: 1,
                load_us: 1.0,
                cold_us: 2.0 * us,
                warm_us: vec![us, us],
            };
            let outcome = Outcome::Measured(Box::new(seen.measured(at.0, us)));
            lines.push(line(NAME, cell_of(at, adder.name), 0, outcome));
        }
    }
    lines
}

/// What these lines say.
fn experiment(lines: Vec<Line>) -> Experiment {
    gathered(NAME.into(), lines)
}

#[test]
fn figures_are_drawn_of_what_there_is() {
    let adders = experiment(lines());
    let figure = over_kernels(&adders, 1 << 21).expect("it was measured");
    assert!(figure.title.contains("2 MiB"), "{}", figure.title);
    assert!(
        figure.svg().contains("sumac-mpi-messages"),
        "all have a name"
    );
    let figure = over_sizes(&adders, 4).expect("it was measured");
    assert!(figure.svg().contains("4 MiB"), "all sizes have a tick");
    assert!(over_sizes(&adders, 64).is_none() && over_kernels(&adders, 7).is_none());
    let alone = experiment(lines()[..10].to_vec());
    assert!(
        over_sizes(&alone, 1).is_none(),
        "a single cell has no figure"
    );
    let table = by_kernels(&adders, 1 << 20).expect("a table");
    assert!(
        table.contains("| sumac                  |  160 µs | 80.0 µs | 40.0 µs |"),
        "{table}"
    );
}

/// Ratios here beside those that others published.
#[test]
fn published_ratios_stand_beside_ours() {
    let table = beside_published(&experiment(lines())).expect("a table");
    let row = table.lines().find(|line| line.starts_with("| C "));
    let row = row.expect("a row").replace(' ', "");
    assert!(
        row.starts_with("|C|") && row.contains("|0.56|1.00|1.00|1.00|1.00|"),
        "{row}"
    );
    assert!(table.contains("489"), "{table}");
    assert!(beside_published(&experiment(Vec::new())).is_none());
}

#[test]
fn a_failure_is_no_measurement() {
    let at = (1 << 29, 1);
    let mut lines = lines();
    let failed = Outcome::failed(FailureKind::Crash, "on purpose".into());
    lines.push(line(NAME, cell_of(at, "sumac"), 2, failed));
    let adders = experiment(lines);
    let table = results::table(&adders, at).to_string();
    assert!(table.contains("FAILED"), "{table}");
}
