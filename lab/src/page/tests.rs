//! Tables, figures and sentences are what the results say; failures and gaps are seen; splicing is
//! exact; typed numbers are found.

pub(crate) mod fixture;

use std::fs;
use std::path::PathBuf;

use super::*;
use crate::results::{FailureKind, Line, Outcome};
use fixture::{cell, line, results, text, visits};

/// Loads lines through a file of their own.
fn loaded(lines: &[Line]) -> Loaded {
    load_text(&text(lines)).expect("the lines are results")
}

fn load_text(text: &str) -> Result<Loaded, String> {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("lines.jsonl");
    fs::write(&path, text).expect("a temporary file");
    load(&[path])
}

/// What is between these markers.
fn made(words: &str, machines: &[Loaded]) -> Result<String, String> {
    let document = format!("<!-- lab:{words} -->\n<!-- /lab -->\n");
    Ok(splice(&document, machines, "figures")?.text)
}

/// Fails unless all of these are in the text.
fn holds(text: &str, all: &[&str]) {
    for part in all {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn a_visit_that_was_repeated_counts_once() {
    let here = cell("tree", 1000, "rayon", 2);
    let failed = Outcome::failed(FailureKind::Crash, "signal 11".into());
    let fine = visits("e", &here, 100.0).remove(0);
    let loaded = loaded(&[line("e", here.clone(), 0, failed), fine]);
    let tally = &loaded.experiments[0].cells[&here];
    assert!(tally.failures.is_empty());
    assert_eq!(tally.facts.as_ref().map(|facts| facts.visits), Some(1));
}

#[test]
fn half_a_line_is_a_warning() {
    let whole = text(&results());
    let cut = load_text(&whole[..whole.len() - 20]).expect("the rest is whole");
    holds(&cut.warnings[0], &["half-written"]);
    assert!(load(&[PathBuf::from("no/such.jsonl")]).is_err());
}

#[test]
fn tables_show_failures_and_gaps_and_their_source() {
    let mut lines = results();
    for (contender, way, threads, ns) in [
        ("map", "alone", 1, 100.0),
        ("Mutex<Map>", "loop", 2, 500.0),
        ("skip list", "loop", 2, 500.0),
    ] {
        let mut cell = cell("maps", 1, contender, threads);
        cell.parameters = way.into();
        lines.extend(visits("batch", &cell, ns));
    }
    let machines = [loaded(&lines)];
    let tables: [(&str, &[&str]); 6] = [
        (
            "threads piece study tree 1000",
            &[
                "| Per node         |   plain | 1 thread |  2 threads |",
                "| rayon            | 1.50 ns |  9.00 ns | **FAILED** |",
                "| sumac scope      | 1.50 ns |  2.00 ns |    2.00 ns |",
                "| Spice, published | 1.99 ns |  2.29 ns |    2.30 ns |",
                "Their baselines are their own",
                "Measured on 2026-05-28 at commit 123456789 by `lab run study`: Imaginary(R) 9000",
            ],
        ),
        (
            "cases speed-up unit x2",
            &["| 100 ns        |        1.82 |          2.00 |"],
        ),
        (
            "cases rate batch x2 maps",
            &[
                "|              |  alone |  loop |",
                "| `Mutex<Map>` |        | 2,000 |",
                "| map          | 10,000 |       |",
            ],
        ),
        (
            "cases time study x2",
            &["| 1,000           | 1.50 µs | **FAILED** |"],
        ),
        (
            "spread study tree 1000 x1",
            &["| 1.50 µs ± 0.00 ns | 1.50 µs .. 1.50 µs |"],
        ),
        ("runs", &["**FAILED**: study: tree 1000 rayon x2: 1 of 2"]),
    ];
    for (words, parts) in tables {
        holds(&made(words, &machines).expect(words), parts);
    }
}

#[test]
fn tunings_are_compared_with_none() {
    let here = cell("tree", 1000, "sumac-scope", 2);
    let mut lines = visits("tuning", &here, 100.0);
    for (tuning, ns) in [("spin=10", 150.0), ("spin=9", 100.0)] {
        let mut cell = here.clone();
        cell.tuning = tuning.into();
        lines.extend(visits("tuning", &cell, ns));
    }
    let table = made("tunings tuning x2", &[loaded(&lines)]).expect("a table");
    let rows = table.lines().filter(|line| line.starts_with("| spin"));
    let rows: Vec<&str> = rows.collect();
    // Numbers order as numbers.
    let (nine, ten) = (rows[0], rows[1]);
    assert!(nine.ends_with(" 1.00 |") && ten.ends_with(" **1.50** |"));
}

#[test]
fn figures_are_drawn_of_what_there_is() {
    let mut lines = results();
    for (who, ns) in [("rayon", 0.0), ("<&>", 1e300), ("chili", 1e-300)] {
        let cells = [1, 64].map(|threads| cell("strange", 7, who, threads));
        lines.extend(cells.iter().flat_map(|cell| visits("study", cell, ns)));
    }
    let machines = [Loaded {
        machine: "m-2".into(),
        ..loaded(&lines)
    }];
    let trees = ["tree 1000", "strange 7"].map(|case| format!("threads study {case}"));
    for words in trees.iter().map(String::as_str).chain(["units unit"]) {
        let document = format!("<!-- lab:figure {words} -->\n<!-- /lab -->\n");
        let out = splice(&document, &machines, "../figures").expect(words);
        let file = format!("m-2-{}.svg", words.replace(' ', "-"));
        holds(&out.text, &[&format!("](../figures/{file})\n")]);
        let svg = &out.figures[&file];
        holds(svg, &["<svg ", "m-2 123456789", "</svg>"]);
        assert!(!svg.contains("<&>") && !svg.contains("NaN"), "{svg}");
    }
}

#[test]
fn machines_have_folders() {
    assert_eq!(fixture::machine().folder(), "imaginary-9000-test-2");
}

const DOCUMENT: &str = "# A\n<!-- lab:runs -->\nold\n<!-- /lab -->\nend <!-- lab:runs --> of it\n\
    ```\n<!-- /lab -->\n```\n<!-- lab:pending later -->\n3 ms <!--= ns no -->\n<!-- /lab -->\n";

#[test]
fn splicing_replaces_only_what_is_between_and_twice_is_once() {
    let machines = [loaded(&results())];
    let once = splice(DOCUMENT, &machines, "").expect("the markers are right");
    let (begin, end) = DOCUMENT.split_once("old\n").expect("it has it");
    assert!(
        once.text.starts_with(&format!("{begin}\n| record |")),
        "{}",
        once.text
    );
    assert!(once.text.ends_with(end), "{}", once.text);
    assert_eq!(once.pending, [(9, "later".to_string())]);
    let twice = splice(&once.text, &machines, "").expect("it has markers");
    assert_eq!(twice.text, once.text);
}

#[test]
fn sentences_have_figures_of_each_machine() {
    let mut other = results();
    other.retain(|line| line.experiment == "unit");
    for line in &mut other {
        if let Outcome::Measured(seen) = &mut line.outcome {
            seen.samples.iter_mut().for_each(|ns| *ns *= 2.0);
        }
    }
    let mut lines = results();
    let mut slow = cell("sha1-tree", 1000, "chili", 2);
    slow.parameters = "work=10".into();
    lines.extend(visits("unit", &slow, 1e9));
    let mut machines = [loaded(&lines), loaded(&other)];
    machines[1].machine = "second".into();
    let said = |key: &str| splice(&format!("a <!--= {key} -->?<!--/=--> b\n"), &machines, "");
    for (key, figure) in [
        ("ns unit sha1-tree 1000 work=1 baseline x1", "10.0 / 20.0"),
        ("over study tree 1000 sumac-scope x1", "0.50"),
        ("percent study tree 1000 sumac-scope x1", "33.3"),
        ("rate study tree 1000 sumac-scope x1", "500,000"),
        // From there on it keeps nine tenths of the fastest way's speed.
        ("pays unit sumac-scope x2", "100 ns / 200 ns"),
        ("pays unit sumac-scope x2 @second", "200 ns"),
        ("pays unit chili x2", "none"),
        // Twice as fast in one case, 1.1 times in the other.
        ("mean unit static-split over other, sumac-scope x2", "1.48"),
        ("least unit static-split over sumac-scope x2", "1.10"),
    ] {
        holds(&said(key).expect(key).text, &[&format!("-->{figure}<!--")]);
    }
    for (key, why) in [
        ("time study tree 7 rayon x2", "there is no such cell"),
        ("luck study tree 1000 rayon x1", "is called `luck`"),
        ("time other tree 7 rayon x2", "there is no such record"),
        ("pays unit other x2", "there is no such cell"),
        (
            "mean study other over rayon x1",
            "no case has these contenders",
        ),
        ("mean study rayon x1", "no case has these contenders"),
    ] {
        let error = said(key).expect_err(key);
        assert!(error.starts_with("1: ") && error.contains(why), "{error}");
    }
}

#[test]
fn markers_that_are_wrong_are_errors() {
    let machines = [loaded(&results())];
    let why = |text: &str| splice(text, &machines, "").expect_err(text);
    for (words, expected) in [
        ("towns", "1: no results for `towns`"),
        ("figure bars", "1: no results for `figure bars`"),
        ("field", "1: no results for `field`"),
        ("runs -->\n<!-- lab:runs", "for line 1"),
    ] {
        let text = format!("<!-- lab:{words} -->\n<!-- /lab -->\n");
        holds(&why(&text), &[expected]);
    }
    for (text, expected) in [
        ("<!-- lab:runs -->\n", "1: no `<!-- /lab -->` follows"),
        ("a\n<!-- /lab -->\n", "2: `<!-- /lab -->` without"),
        ("a <!--= ns -->1\n", "1: `<!--= ns -->` without"),
        ("  <!--= a -->1<!--/=-->\n", "1: a line must not begin"),
    ] {
        holds(&why(text), &[expected]);
    }
}

#[test]
fn typed_numbers_are_found() {
    let found = |text: &str| typed(text).expect("the markers are right");
    for (line, number) in [
        ("It takes 12.5 ms.", "12.5 ms"),
        ("a third (33%)", "33 %"),
        ("1,024 ns or", "1,024 ns"),
        ("is **2.1** times as fast", "2.1 times"),
        ("at 3 GB/s", "3 GB/s"),
        ("| a | 0.30 |", "0.30"),
        ("| a | **1.5** to 2.0 |", "1.5"),
        ("it took 19.7\nms", "19.7 ms"),
    ] {
        let all = found(&format!("\n{line}\n"));
        let expected = (2, format!("`{number}` is from no record"));
        assert!(all.contains(&expected), "{line}: {all:?}");
    }
    for text in [
        "two threads, 16 ranks, Rust 1.85, version 2.0, x86-64, 2^29 s, 100 million",
        "took <!--= ns study -->1.5 ms<!--/=-->, `sleep 5 s`",
        "```\n5 ms\n```",
        "<!-- lab:pending x -->\n5 ms\n<!-- /lab -->",
        "<!-- lab:fixed published by others -->\n| 1.5 |\n<!-- /lab -->",
        "after 50 µs and 2 %\n<!-- fixed: 50 µs: a constant; 2 %: a goal -->",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
    let gone = found("<!-- fixed: 50 µs: a constant -->");
    holds(
        &gone[0].1,
        &["`50 µs` is said to be fixed and does not occur"],
    );
    let why = typed("50 µs <!-- a -->\n<!-- fixed: 50 µs -->").expect_err("it does not say what");
    assert!(why.starts_with("2: "), "{why}");
}
