//! `lab run` and `lab adders` from outside: what they measure and append, that they go on where
//! they were interrupted, and that contenders with faults, damaged files and bad experiments are
//! caught.

#[cfg(target_os = "linux")]
mod adders;
mod cli;
mod faults;
#[cfg(target_os = "linux")]
mod interrupted;
mod place;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use place::{Done, Place, RUN, SMALL, visits};

#[test]
fn a_line_has_all_that_is_needed_to_judge_it() {
    let place = Place::with(SMALL);
    place
        .run(RUN)
        .ended(0)
        .says("small: 4 visits measured: out.jsonl");
    let lines = place.lines();
    assert_eq!(
        visits(&lines),
        ["baseline 0", "sumac-scope 0", "sumac-scope 1", "baseline 1"]
    );
    // On a busy machine a visit may have found its calls long; not all of them.
    let batch = |line: &Value| line["outcome"]["measured"]["batch"].as_u64();
    assert!(lines.iter().any(|line| batch(line) > Some(1)), "{lines:?}");
    for line in &lines {
        assert_eq!(line["experiment"], "small");
        assert_eq!(line["cell"]["problem"], "tree");
        assert_eq!(line["command"][1], "small.toml");
        assert!(line["ended_at"].as_u64() > Some(1_700_000_000));
        assert!(line["machine"]["cores"].as_u64() >= Some(1));
        let version = line["machine"]["versions"]["sumac"]
            .as_str()
            .expect("a version");
        assert!(
            version.starts_with(|c: char| c.is_ascii_digit()),
            "{version}"
        );
        let measured = &line["outcome"]["measured"];
        assert_eq!(
            (&measured["pieces"], &measured["answer"]),
            (&100.into(), &5050.into())
        );
        assert!(measured["batch"].as_u64() >= Some(1));
        assert!(measured["warm_up_calls"].as_u64() > Some(0));
        let samples = measured["samples"].as_array().expect("samples");
        assert_eq!(samples.len(), 3);
        let sum: f64 = samples.iter().filter_map(Value::as_f64).sum();
        let calls = measured["batch"].as_f64().expect("a number");
        let wall = measured["spent"]["wall"].as_f64().expect("a time");
        assert!(wall >= sum * calls * 0.99, "{measured}");
        let counted = line["cell"]["contender"] == "sumac-scope";
        assert_eq!(measured["scheduler"]["ticks"].is_u64(), counted);
    }
}

/// Cells that are together are one visit, and none is measured without the others.
#[test]
fn contenders_take_turns_in_one_process() {
    let place = Place::with(&format!("together = true\n{SMALL}"));
    place
        .run(&format!("{RUN} --only scope --rounds 1"))
        .ended(0);
    place.run(&format!("{RUN} --rounds 1")).ended(0);
    let lines = place.lines();
    assert_eq!(
        visits(&lines),
        ["sumac-scope 0", "baseline 0", "sumac-scope 0"]
    );
    let in_turns = lines.iter().map(|line| line["in_turns"] == true);
    assert!(in_turns.eq([false, true, true]), "{lines:?}");
    for line in &lines {
        let samples = line["outcome"]["measured"]["samples"].as_array();
        assert_eq!(samples.map(Vec::len), Some(3));
    }
    let place = Place::with(&format!("together = true\n{SMALL}").replace("baseline", "planted"));
    let wrong = place.run(RUN).ended(1);
    assert!(wrong.stdout.contains("2 cells FAILED"), "{}", wrong.stdout);
}

#[test]
fn no_visit_is_made_twice() {
    let place = Place::with(SMALL);
    place.run(&format!("{RUN} --rounds 1")).ended(0);
    let first = place.text("out.jsonl");
    place
        .run(RUN)
        .ended(0)
        .says("small: 2 visits measured, 2 were there already");
    let all = place.text("out.jsonl");
    assert!(all.starts_with(&*first), "only appended to");
    assert_eq!(visits(&place.lines())[2..], ["sumac-scope 1", "baseline 1"]);
    place
        .run(RUN)
        .ended(0)
        .says("0 visits measured, 4 were there already");
    assert_eq!(place.text("out.jsonl"), all);
}

#[test]
fn beginning_anew_destroys_nothing() {
    let place = Place::with(SMALL);
    for _ in 0..3 {
        place
            .run(&format!("{RUN} --rounds 1 --restart"))
            .ended(0)
            .says("2 visits measured:");
    }
    for name in ["out.jsonl", "out.jsonl.old1", "out.jsonl.old2"] {
        let text = place.text(name);
        assert_eq!(text.lines().count(), 2, "{name}");
    }
}

#[test]
fn a_half_written_line_is_dropped_and_nothing_else() {
    let place = Place::with(SMALL);
    place.run(RUN).ended(0);
    let whole = place.text("out.jsonl");
    place.write("out.jsonl", &whole[..whole.len() - 30]);
    place
        .run(RUN)
        .ended(0)
        .says("line 4 is half-written and was dropped")
        .says("1 visits measured, 3 were there already");
    assert_eq!(visits(&place.lines())[3], "baseline 1");
}

#[test]
fn damage_in_the_middle_is_an_error_that_destroys_nothing() {
    let place = Place::with(SMALL);
    place.run(RUN).ended(0);
    let text = place.text("out.jsonl");
    let damaged = text.replacen("\"round\":0", "\"round\":", 1);
    place.write("out.jsonl", &damaged);
    place
        .run(RUN)
        .ended(1)
        .says("out.jsonl: line 1 is not a result");
    assert_eq!(place.text("out.jsonl"), damaged);
}

#[test]
fn another_build_does_not_go_on() {
    let place = Place::with(SMALL);
    place.run(RUN).ended(0);
    let text = place.text("out.jsonl");
    let other = text.replace("\"sumac\":\"", "\"sumac\":\"9.");
    place.write("out.jsonl", &other);
    place
        .run(RUN)
        .ended(2)
        .says("another build or machine")
        .says("--restart");
    assert_eq!(place.text("out.jsonl"), other);
}

#[test]
fn what_makes_no_sense_is_refused_with_the_files_name() {
    let place = Place::with("problem = 'tetris'");
    let done = place.run(RUN).ended(2);
    done.says("lab: small.toml: cells, block 1: no problem is called tetris");
    assert!(!place.path("out.jsonl").exists());
    let place = Place::with(SMALL);
    place
        .run("absent.toml")
        .ended(2)
        .says("cannot read absent.toml");
    place.run("absent").ended(2).says("no folder experiments");
    place.run("").ended(2).says("EXPERIMENT");
    place.run("small.toml --rounds 0").ended(2).says("--rounds");
    place
        .run("small.toml --only nonsense")
        .ended(2)
        .says("no cell's description");
}

#[test]
fn experiments_have_names_and_results_have_a_place() {
    let place = Place::with(SMALL);
    fs::create_dir_all(place.path("experiments/deep")).expect("a folder");
    fs::rename(
        place.path("small.toml"),
        place.path("experiments/small.toml"),
    )
    .expect("it moves");
    place
        .run("tiny")
        .ended(2)
        .says("no experiment is called tiny; there are small");
    place.run("small --only baseline --rounds 1").ended(0);
    let text = place.text("target/lab/small.jsonl");
    assert_eq!(text.lines().count(), 1);
    // What the repository keeps is written to where that is said, by machine.
    fs::create_dir_all(place.path("results")).expect("a folder");
    place
        .run("small --only baseline --rounds 1 --out results")
        .ended(0);
    let mut machines = fs::read_dir(place.path("results")).expect("a folder");
    let machine = machines
        .next()
        .expect("a machine")
        .expect("its folder")
        .path();
    assert!(machine.join("small.jsonl").exists(), "{machine:?}");
    for _ in 0..2 {
        // From a folder below, and made anew each time.
        let mut lab = place.command("small --quick --rounds 1");
        let done = lab.current_dir(place.path("experiments/deep")).output();
        Done::from(done.expect("the lab starts"))
            .ended(0)
            .says("2 visits measured:");
    }
    let text = place.text("target/lab/small.quick.jsonl");
    assert_eq!(text.lines().count(), 2);
}

#[test]
fn nonsense_on_stdin_is_no_task() {
    let mut cell = Command::new(env!("CARGO_BIN_EXE_lab"))
        .arg("cell")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the lab starts");
    let mut stdin = cell.stdin.take().expect("stdin is piped");
    stdin.write_all(b"{}").expect("it is read");
    drop(stdin);
    let output = cell.wait_with_output().expect("it ends");
    Done::from(output).ended(2).says("not a task");
}

#[test]
fn every_experiment_of_the_repository_runs_quickly() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let place = Place::with(SMALL);
    let begun = Instant::now();
    for entry in fs::read_dir(root.join("experiments")).expect("there are experiments") {
        let path = entry.expect("a file").path();
        let out = place.path("out.jsonl");
        let mut lab = place.command("--quick --out");
        // Adders take longer, and need not be there.
        lab.env("CARGO_TARGET_DIR", place.path("target"));
        let done = lab.arg(&out).arg(&path).output().expect("the lab starts");
        Done::from(done).ended(0).says(" visits measured");
    }
    assert!(
        begun.elapsed() < Duration::from_secs(120),
        "{:?}",
        begun.elapsed()
    );
}
