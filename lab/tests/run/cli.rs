//! Commands from outside: each at its smallest, every kind of bad argument, and the manners of a
//! good citizen: exit codes, closed pipes, Ctrl-C.

use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::place::Done;

/// How many runtimes there are.
const RUNTIMES: usize = 4 + cfg!(feature = "forte") as usize;

fn lab(arguments: &str) -> Command {
    let mut lab = Command::new(env!("CARGO_BIN_EXE_lab"));
    lab.args(arguments.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    lab
}

fn run(arguments: &str) -> Done {
    Done::from(lab(arguments).output().expect("the lab starts"))
}

/// Runs a command that must succeed, and returns what it prints.
fn stdout(arguments: &str) -> String {
    let done = run(arguments).ended(0);
    assert_eq!(done.stderr, "", "no bar where there is no terminal");
    done.stdout
}

/// The lines of the first table after a heading that begins so.
fn table<'a>(text: &'a str, heading: &str) -> Vec<&'a str> {
    let heading = format!("### {heading}");
    let mut lines = text.lines().skip_while(|line| !line.starts_with(&heading));
    assert!(lines.next().is_some(), "no {heading} in {text}");
    let rest = lines.skip_while(|line| !line.starts_with('|'));
    rest.take_while(|line| line.starts_with('|')).collect()
}

#[test]
fn shared_structures() {
    let text = stdout("batch --quick");
    let maps = "maps of 1 k, 500 × 100/0, uniform";
    for (title, row, who) in [
        ("counters", "counters, loop x2", "CAS loop"),
        (maps, &format!("{maps}, one batch x2"), "parking_lot RwLock"),
        (
            &format!("hash {maps}"),
            "hash maps of 1 k",
            "64 Mutex<HashMap>",
        ),
    ] {
        let rows = table(&text, title);
        assert!(rows[0].contains(&format!(" {who} |")), "{rows:?}");
        let is_it = |own: &&str| own.starts_with(&format!("| {row}"));
        assert!(rows.iter().any(is_it), "{rows:?}");
    }
}

#[test]
fn tables_of_the_predecessor() {
    let text = stdout("fork --quick --rounds 1");
    let rows = table(&text, "counters, 10,000 increments");
    assert_eq!(rows.len(), 2 + 2 * 5);
    let published = rows[3].replace(' ', "");
    assert!(published.starts_with("|LockCounter,published|132.15|74.45|"));
    let sizes = table(
        &text,
        "sizes of batches, 1,000 increments from 128 tasks on 2 threads",
    );
    let number = |cell: &str| cell.trim().replace(',', "").parse::<u64>().unwrap_or(0);
    let counted = sizes[2..].iter().map(|row| {
        let cells: Vec<_> = row.split('|').map(number).collect();
        assert!((1..=63).contains(&cells[1]), "{row}");
        cells[1] * cells[2]
    });
    assert_eq!(counted.sum::<u64>(), 1_000);
    for keys in ["1 k", "10 k"] {
        let rows = table(&text, &format!("skip list, maps of {keys}, 100 × 100/0"));
        assert_eq!(rows.len(), 2 + 5, "{text}");
    }
}

#[test]
fn a_record_has_every_sample_and_the_machine() {
    let text = stdout("--nodes 15 --rounds 2 --json");
    let records = text.lines().map(serde_json::from_str);
    let mut records: Vec<Value> = records.collect::<Result<_, _>>().expect("a record a line");
    records.retain(|record| record["cell"]["problem"] == "tree of 15 nodes");
    assert_eq!(records.len(), 3 + RUNTIMES);
    assert_eq!(records[0]["cell"]["contender"], "baseline");
    let expected = if cfg!(debug_assertions) {
        "dev"
    } else {
        "release"
    };
    for record in records {
        assert_eq!(record["experiment"], "tour");
        assert_eq!(record["command"][0], "--nodes");
        assert!(record["cores_of_others"].as_f64() >= Some(0.0));
        let machine = &record["machine"];
        assert!(machine["cores"].as_u64() >= Some(1));
        assert!(machine["versions"]["rayon"].is_string());
        let profile = machine["profile"].as_str().unwrap_or_default();
        assert!(profile.starts_with(expected), "{profile}");
        let samples = record["outcome"]["measured"]["samples"].as_array();
        let samples = samples.expect("a list of samples");
        assert!(samples.len() >= 2 && samples.iter().all(|sample| sample.as_f64() > Some(0.0)));
    }
}

#[test]
fn bad_arguments_are_refused() {
    for (arguments, why) in [
        ("--nodes 0", "2^k-1"),
        ("--nodes 1000", "2^k-1"),
        ("--nodes 549755813887", "MiB"),
        ("--nodes 18446744073709551616", "not a number"),
        ("--rounds 0", "--rounds"),
        ("--seconds 0", "above 0"),
        ("run tetris", "tetris"),
        ("adders full --kernel-counts 0", "between 1 and 1024"),
        ("adders full --sizes 20,40", "--sizes"),
        ("adders full --quick --sizes 20", "--quick"),
        ("fork --mix 101", "--mix"),
        ("fork --limit 0", "--limit"),
        ("fork --increments 0", "--increments"),
        ("fork --preset 0", "--preset"),
        ("nonsense", "nonsense"),
    ] {
        let done = run(arguments).ended(2).says(why);
        assert_eq!(done.stdout, "", "{arguments}");
    }
}

#[test]
fn a_reader_who_leaves_early_is_no_error() {
    let mut lab = lab("batch counters --quick")
        .spawn()
        .expect("the lab starts");
    drop(lab.stdout.take());
    let done = Done::from(lab.wait_with_output().expect("the lab ends")).ended(0);
    assert_eq!(done.stderr, "");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_cleanly() {
    let mut lab = lab("--nodes 1048575 --rounds 100000 --seconds 3000 --json");
    let lab = lab.spawn().expect("the lab starts");
    thread::sleep(Duration::from_millis(500));
    super::place::kill("-INT", lab.id());
    let done = Done::from(lab.wait_with_output().expect("the lab ends")).ended(130);
    assert_eq!(done.stdout, "", "nothing half written");
}
