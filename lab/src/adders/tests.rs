//! What an adder says is believed only if it is right; inputs are what they are said to be; figures
//! follow from lines.

mod fixture;

use std::fs;
use std::path::Path;

use super::input::Input;
use super::visit::{Seen, judged};
use super::*;
use crate::page::{Experiment, gathered, load_one};
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
fn the_first_method_is_a_mode_of_the_same_programs() {
    let workshop = Workshop::new(Some("programs".into()));
    let told = |adder: &Adder| {
        let command = workshop.command(adder, 2, Path::new("file"), 9);
        let words: Vec<_> = command.get_args().map(|w| w.to_string_lossy()).collect();
        // mpiexec -n 2 PROGRAM FILE SIZE
        let program = &words[2];
        let mut envs = command.get_envs();
        let mode = envs.find_map(|(name, value)| (name == "ADDER_MODE").then_some(value));
        let mode = mode.flatten().expect("a mode").to_string_lossy();
        format!("{program} {mode}")
    };
    for (adder, expected) in [
        ("rust-mpi-binding", "rust-mpi-binding tree"),
        ("rust-mpi-binding-first", "rust-mpi-binding first"),
        ("rust-mpi-wrapper-first", "rust-mpi-wrapper first"),
        ("julia-first", "julia first"),
        ("c-first", "c-first first"),
        ("sumac-mpi", "sumac-mpi shared"),
        ("sumac-mpi-messages", "sumac-mpi messages"),
    ] {
        let adder = Adder::named(adder).expect(adder);
        assert_eq!(told(&adder), format!("programs/{expected}"));
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
    for log in [20, 21, 22, 29] {
        for kernel_count in [1, 2, 4] {
            let cell = Cell {
                input_size: 1 << log,
                kernel_count,
            };
            for round in 0..2 {
                for (number, adder) in ADDERS.iter().enumerate() {
                    let us = (cell.input_size >> 20) as f64 * 20.0 * (number + 1) as f64
                        / kernel_count as f64;
                    let seen = Seen {
                        sum: 7,
                        ranks: 1,
                        threads: 1,
                        load_us: 1.0,
                        cold_us: 2.0 * us,
                        warm_us: vec![us, us],
                    };
                    let measured = seen.measured(cell.input_size, us);
                    let outcome = Outcome::Measured(Box::new(measured));
                    lines.push(fixture::visit(cell, adder.name, round, outcome));
                }
            }
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
    let alone = experiment(lines()[..20].to_vec());
    assert!(
        over_sizes(&alone, 1).is_none(),
        "a single cell has no figure"
    );
    let table = by_kernels(&adders, 1 << 20).expect("a table");
    assert!(
        table.contains("| sumac                  |  140 µs | 70.0 µs | 35.0 µs |"),
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
    let none: Vec<_> = lines()
        .into_iter()
        .filter(|line| line.cell.contender != "c")
        .collect();
    assert!(beside_published(&experiment(none)).is_none());
}

#[test]
fn no_adder_is_faster_than_reading() {
    assert_eq!(results::beaten(&experiment(fixture::visits())), []);
    // What is not reading but the floor of a slower machine.
    let slow = |by: f64| {
        let mut lines = fixture::visits();
        for line in lines
            .iter_mut()
            .filter(|line| line.cell.contender == "floor")
        {
            let Outcome::Measured(seen) = &mut line.outcome else {
                panic!("the floor was measured");
            };
            match line.cell.threads {
                4 => *seen.further.get_mut("cold").expect("a time") *= by,
                _ => seen.samples.iter_mut().for_each(|ns| *ns *= by),
            }
        }
        experiment(lines)
    };
    let beaten = |by| {
        let beaten = results::beaten(&slow(by)).into_iter();
        let beaten = beaten.filter(|(cell, adder, _)| {
            *adder == "sumac" && cell.input_size == 1 << 29 && cell.kernel_count <= 4
        });
        beaten
            .map(|(cell, ..)| cell.kernel_count)
            .collect::<Vec<_>>()
    };
    assert!(beaten(1.05).is_empty(), "by chance");
    assert_eq!(beaten(1.5), [1, 2, 4], "warm or cold");
    let section = beaten_section(&slow(1.5)).expect("some were faster");
    assert_eq!(section.title, "Faster than only reading");
}

#[test]
fn a_failure_is_no_measurement() {
    let cell = Cell {
        input_size: 1 << 29,
        kernel_count: 1,
    };
    let mut lines = lines();
    let failed = Outcome::failed(FailureKind::Crash, "on purpose".into());
    lines.push(fixture::visit(cell, "sumac", 2, failed));
    let adders = experiment(lines);
    let table = results::table(&adders, cell).to_string();
    assert!(table.contains("FAILED"), "{table}");
}

#[test]
fn what_is_no_result_is_refused() {
    let good = crate::page::tests::fixture::text(&lines());
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let file = folder.path().join("adders.jsonl");
    let why = |text: &str| {
        fs::write(&file, text).expect("a temporary file");
        load_one(&file, NAME).map(|adders| adders.cells.len())
    };
    assert_eq!(why(&good), Ok(experiment(lines()).cells.len()));
    for (text, reason) in [
        (String::new(), "holds no result of `lab adders`"),
        (
            good.replace("\"adders\"", "\"subtracters\""),
            "no result of",
        ),
        (
            good.replacen("\"batch\":1,", "", 1),
            "line 1 is not a result",
        ),
    ] {
        let said = why(&text).expect_err(reason);
        assert!(
            said.contains(reason) && said.contains("adders.jsonl"),
            "{said}"
        );
    }
    folder.close().expect("the folder goes");
    assert!(
        load_one(&file, NAME)
            .expect_err("no file")
            .contains("adders.jsonl does not exist")
    );
}
