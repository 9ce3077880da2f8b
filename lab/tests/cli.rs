//! The command line from outside: every command at its smallest, every kind of bad argument, and
//! the manners of a good citizen: exit codes, closed pipes, Ctrl-C.

use std::io::Read;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// How many runtimes there are.
const RUNTIMES: usize = 4 + cfg!(feature = "forte") as usize;

fn lab() -> Command {
    Command::new(env!("CARGO_BIN_EXE_lab"))
}

fn run(arguments: &str) -> Output {
    let words = arguments.split_whitespace();
    lab().args(words).output().expect("the lab starts")
}

/// Runs a command that must succeed, and returns what it prints.
fn stdout(arguments: &str) -> String {
    let output = run(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {stderr}");
    assert_eq!(stderr, "", "no bar where there is no terminal");
    String::from_utf8(output.stdout).expect("what is printed is text")
}

/// Runs a command that must refuse, and returns why.
fn refusal(arguments: &str) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments}");
    assert!(output.stdout.is_empty(), "{arguments}");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!stderr.contains("panicked"), "{stderr}");
    stderr
}

/// The lines of the first table after a heading that begins so.
fn table<'a>(text: &'a str, heading: &str) -> Vec<&'a str> {
    let heading = format!("### {heading}");
    let mut lines = text.lines().skip_while(|line| !line.starts_with(&heading));
    assert!(lines.next().is_some(), "no {heading} in {text}");
    let rest = lines.skip_while(|line| !line.starts_with('|'));
    rest.take_while(|line| line.starts_with('|')).collect()
}

/// The records that `--json` prints, one a line.
fn records(arguments: &str) -> Vec<Value> {
    let text = stdout(&format!("{arguments} --json"));
    let parsed = text.lines().map(serde_json::from_str);
    parsed.collect::<Result<_, _>>().expect("a record a line")
}

fn samples(record: &Value) -> Vec<f64> {
    let samples = record["outcome"]["measured"]["samples"].as_array();
    let samples = samples.expect("a list of samples").iter();
    samples
        .map(|sample| sample.as_f64().expect("a number"))
        .collect()
}

#[test]
fn shared_structures() {
    let text = stdout("batch --quick");
    assert_eq!(table(&text, "counters, calls that wait").len(), 2 + 4);
    assert_eq!(table(&text, "counters, awaited").len(), 2 + 4);
    let rows = table(&text, "maps of 1 k, 500 × 100/0, uniform");
    for who in ["skip list", "tree", "BTreeMap", "crossbeam SkipMap"] {
        assert!(rows.iter().any(|row| row.starts_with(&format!("| {who} "))));
    }
}

#[test]
fn tables_of_the_predecessor() {
    let text = stdout(
        "fork --threads 1,8 --increments 100 --limit 20 --preset 1000,10000 --operations 500 \
         --mix 90 --rounds 1",
    );
    let rows = table(&text, "counters, 100 increments");
    assert_eq!(rows.len(), 2 + 2 * 5);
    assert_eq!(rows[3].replace(' ', ""), "|LockCounter,published|132.15||");
    let sizes = table(
        &text,
        "sizes of batches, 10,000 increments from 128 tasks on 8 threads",
    );
    let cells = sizes[2..]
        .iter()
        .map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    let number = |cell: &str| cell.replace(',', "").parse::<u64>().unwrap_or(0);
    let counted = cells.map(|cells| (number(cells[1]), number(cells[2])));
    let counted: Vec<_> = counted.filter(|&(_, batches)| batches > 0).collect();
    assert!(
        counted.iter().all(|&(size, _)| (1..=20).contains(&size)),
        "{counted:?}"
    );
    assert_eq!(
        counted
            .iter()
            .map(|(size, batches)| size * batches)
            .sum::<u64>(),
        10_000
    );
    for title in [
        "skip list, maps of 1 k, 500 × 90/10",
        "skip list, maps of 10 k, 500 × 90/10",
    ] {
        assert_eq!(table(&text, title).len(), 2 + 3, "{text}");
    }
}

#[test]
fn a_record_has_every_sample_and_the_machine() {
    let records = records("--nodes 15 --rounds 2");
    let timed = |record: &&Value| record["cell"]["problem"] == "tree of 15 nodes";
    let records: Vec<&Value> = records.iter().filter(timed).collect();
    assert_eq!(records.len(), 3 + RUNTIMES);
    assert_eq!(records[0]["cell"]["contender"], "baseline");
    let expected = if cfg!(debug_assertions) {
        "dev"
    } else {
        "release"
    };
    for record in records {
        assert_eq!(
            (&record["experiment"], &record["command"][0]),
            (&"tour".into(), &"--nodes".into())
        );
        assert!(record["cores_of_others"].as_f64() >= Some(0.0));
        let machine = &record["machine"];
        assert!(machine["cores"].as_u64() >= Some(1));
        assert!(machine["versions"]["rayon"].is_string());
        let profile = machine["profile"].as_str();
        assert!(
            profile.is_some_and(|name| name.starts_with(expected)),
            "{profile:?}"
        );
        let samples = samples(record);
        assert!(samples.len() >= 2 && samples.iter().all(|sample| *sample > 0.0));
    }
}

#[test]
fn bad_arguments_are_refused() {
    assert!(refusal("--nodes 0").contains("2^k-1"));
    assert!(refusal("--nodes 1000").contains("2^k-1"));
    assert!(refusal("--nodes 549755813887").contains("MiB"));
    assert!(refusal("--nodes 18446744073709551616").contains("not a number"));
    assert!(refusal("--rounds 0").contains("--rounds"));
    assert!(refusal("--seconds 0").contains("above 0"));
    assert!(refusal("run tetris").contains("tetris"));
    assert!(refusal("adders full --kernel-counts 0").contains("between 1 and 1024"));
    assert!(refusal("adders full --sizes 20,40").contains("--sizes"));
    assert!(refusal("adders full --quick --sizes 20").contains("--quick"));
    assert!(refusal("fork --mix 101").contains("--mix"));
    assert!(refusal("fork --limit 0").contains("--limit"));
    assert!(refusal("fork --increments 0").contains("--increments"));
    assert!(refusal("fork --preset 0").contains("--preset"));
    assert!(refusal("nonsense").contains("nonsense"));
}

#[test]
fn a_reader_who_leaves_early_is_no_error() {
    let mut lab = lab()
        .args(["batch", "counters", "--quick"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the lab starts");
    drop(lab.stdout.take());
    let output = lab.wait_with_output().expect("the lab ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success());
}

#[test]
fn ctrl_c_ends_it_cleanly() {
    let mut lab = lab()
        .args([
            "--nodes",
            "1048575",
            "--rounds",
            "100000",
            "--seconds",
            "3000",
            "--json",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the lab starts");
    thread::sleep(Duration::from_millis(500));
    let mut kill = Command::new("kill");
    kill.args(["-INT", &lab.id().to_string()]);
    assert!(kill.status().expect("kill starts").success());
    let start = Instant::now();
    let status = lab.wait().expect("the lab ends");
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(status.code(), Some(130));
    let mut printed = String::new();
    let mut stdout = lab.stdout.take().expect("stdout is piped");
    stdout.read_to_string(&mut printed).expect("stdout is text");
    assert_eq!(printed, "", "nothing half written");
}
