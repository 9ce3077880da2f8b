//! The tour at its smallest, in every build of the lab; and what a build without more says when it
//! is asked for more.

use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};

fn run(arguments: &str) -> Output {
    let mut lab = Command::new(env!("CARGO_BIN_EXE_lab"));
    let words = arguments.split_whitespace();
    lab.args(words).output().expect("the lab starts")
}

#[test]
fn the_tour() {
    let output = run("--nodes 7,15 --rounds 1");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    assert_eq!(stderr, "", "no bar where there is no terminal");
    let text = String::from_utf8_lossy(&output.stdout);
    for (heading, rows) in [
        ("the sum of a tree", 1),
        // Ours, and what was measured elsewhere.
        ("1,023 nodes", 4 + 4),
        ("ramp", 4),
        ("idle pools", 6),
    ] {
        let mut lines = text.lines();
        let heading = format!("### {heading}");
        let found = lines.any(|line| line.starts_with(&heading));
        assert!(found, "no {heading} in {text}");
        let table = lines.skip_while(|line| !line.starts_with('|'));
        let table = table.take_while(|line| line.starts_with('|'));
        assert_eq!(table.count(), 2 + rows, "{text}");
    }
}

#[test]
fn tables_are_printed_while_the_next_ones_are_measured() {
    let mut lab = Command::new(env!("CARGO_BIN_EXE_lab"));
    lab.args(["--nodes", "7", "--rounds", "1"]);
    let mut lab = lab.stdout(Stdio::piped()).spawn().expect("the lab starts");
    let mut lines = BufReader::new(lab.stdout.take().expect("a pipe")).lines();
    let row = lines.find(|line| line.as_ref().is_ok_and(|line| line.starts_with("| 7 ")));
    // It will watch idle pools for some seconds.
    let status = lab.try_wait().expect("a child");
    lab.kill().and_then(|()| lab.wait()).expect("a child");
    assert!(row.is_some() && status.is_none(), "{row:?}, {status:?}");
}

#[test]
#[cfg(not(feature = "full"))]
fn what_this_build_lacks_is_said() {
    for command in ["batch --rounds 1", "report"] {
        let output = run(command);
        assert_eq!(output.status.code(), Some(2), "{command}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        let remedy = format!("--features full -- {command}");
        assert!(stderr.contains(&remedy), "{stderr}");
    }
}
