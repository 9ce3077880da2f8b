//! `lab profile` and `lab timeline` from outside: tables, files that others can read, bad
//! arguments.

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

fn run(arguments: &str) -> (Output, tempfile::TempDir) {
    let directory = tempfile::tempdir().expect("a directory");
    let output = Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(arguments.split_whitespace())
        .arg("--out")
        .arg(directory.path())
        .output();
    (output.expect("the lab starts"), directory)
}

fn stdout(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The value beside a name in the table of facts.
fn fact<'t>(text: &'t str, name: &str) -> &'t str {
    let line = text.lines().find(|line| {
        let mut cells = line.split('|');
        cells.nth(1).is_some_and(|cell| cell.trim() == name)
    });
    let line = line.unwrap_or_else(|| panic!("no {name} in {text}"));
    line.split('|').nth(2).expect("two columns").trim()
}

#[test]
fn joins_loops_and_leaves_are_counted() {
    for (problem, joins, loops) in [
        ("tree --size 1023", "1,023", "0"),
        ("fib --size 12", "232", "0"),
        ("leaves --size 16", "15", "0"),
        ("leaf-rest --size 16", "15", "0"),
        ("triangular --size 40", "0", "1"),
        ("quicksort --size 500", "", "0"),
    ] {
        let (output, directory) = run(&format!("profile {problem} --burden 1000"));
        let text = stdout(&output);
        if !joins.is_empty() {
            assert_eq!(fact(&text, "joins"), joins, "{problem}");
        }
        assert_eq!(fact(&text, "loops"), loops, "{problem}");
        assert!(text.contains("| 1,024 "), "{text}");
        let name = problem.split(' ').next().expect("a name");
        let figure = fs::read_to_string(directory.path().join(format!("profile-{name}.svg")));
        let figure = figure.expect("a figure");
        assert!(
            figure.contains("ideal") && figure.contains("</svg>"),
            "{figure}"
        );
    }
}

#[test]
fn what_a_program_is_made_of_is_json() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let path = file.path().display();
    let (output, _directory) = run(&format!(
        "profile leaves --size 8 --burden 1000 --grain 100 --dag {path}"
    ));
    stdout(&output);
    let text = fs::read(file.path()).expect("a document");
    let dag: Value = serde_json::from_slice(&text).expect("JSON");
    fn leaves(dag: &Value) -> usize {
        match (&dag["series"], &dag["parallel"], &dag["strand"]) {
            (Value::Array(parts), ..) => parts.iter().map(leaves).sum(),
            (_, Value::Array(halves), _) => halves.iter().map(|half| leaves(half).max(1)).sum(),
            (_, _, Value::Number(_)) => 0,
            _ => panic!("{dag} is none of them"),
        }
    }
    assert_eq!(leaves(&dag), 8, "{dag}");
}

#[test]
fn timelines_are_json_that_chrome_can_read() {
    let (output, directory) = run("timeline leaves --size 4096 --threads 2");
    let text = stdout(&output);
    assert!(text.contains("worker 0"), "{text}");
    let read = |ending| fs::read(directory.path().join(format!("timeline-leaves.{ending}")));
    let document: Value = serde_json::from_slice(&read("json").expect("a file")).expect("JSON");
    let events = document["traceEvents"].as_array().expect("a list");
    assert_eq!(document["otherData"]["dropped"], 0);
    let named =
        |event: &Value| event["name"] == "thread_name" && event["args"]["name"] == "worker 0";
    assert!(events.iter().any(named));
    let mut complete = 0;
    for event in events {
        match event["ph"].as_str() {
            Some("X") => {
                complete += 1;
                assert!(event["ts"].is_number() && event["dur"].as_f64() > Some(0.0));
                assert!(event["tid"].is_u64() && event["pid"].is_u64());
            }
            Some("i") => assert!(event["ts"].is_number()),
            phase => assert_eq!(phase, Some("M")),
        }
    }
    assert!(complete >= 2);
    assert!(String::from_utf8_lossy(&read("svg").expect("a file")).ends_with("</svg>\n"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (arguments, why) in [
        (
            "profile tetris",
            "no problem is called tetris; there are tree",
        ),
        ("profile tree --size 0", "between 1 and"),
        ("profile queens --size 99", "between 2 and 14"),
        ("timeline fib --threads 0", "between 1 and 1024"),
    ] {
        let (output, _directory) = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(why), "{arguments}: {stderr}");
    }
}
