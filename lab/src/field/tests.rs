use super::build::Tested;
use super::pbbs::{Sizes, fill};
use super::tables::{NAME, RPB, average, table};
use super::visitor::written;
use super::{List, crates_failed, sections};
use crate::page::gathered;
use crate::page::tests::fixture::{cell, line};
use crate::patched::Under;
use crate::results::{FailureKind, Line, Measured, Outcome};

/// The visits to a crate, with these wall times by scheduler.
fn visits(name: &str, walls: [&[f64]; 2]) -> Vec<Line> {
    let mut lines = Vec::new();
    for ((under, walls), more) in Under::BOTH.into_iter().zip(walls).zip([0.0, 1.0]) {
        for (round, wall) in walls.iter().map(|s| s * 1e9).enumerate() {
            let further = [
                ("wall", wall),
                ("cpu", 2.0 * wall),
                ("memory", 1024.0),
                ("threads", 3.0 - more),
                ("packages", 7.0),
                ("bytes", 1000.0 + 100.0 * more),
            ];
            let measured = Measured {
                samples: vec![wall],
                further: further.map(|(name, n)| (name.into(), n)).into(),
                ..Measured::default()
            };
            let cell = cell(name, 1, &under.to_string(), 2);
            let outcome = Outcome::Measured(Box::new(measured));
            lines.push(line(NAME, cell, round as u32, outcome));
        }
    }
    lines
}

#[test]
fn the_list_is_sound() {
    let list = List::read().expect("it can be read");
    assert!(list.crates.len() >= 25, "{} crates", list.crates.len());
    let names: Vec<String> = list.crates.iter().map(|entry| entry.name.clone()).collect();
    for (place, entry) in list.crates.iter().enumerate() {
        assert!(
            !names[..place].contains(&entry.name),
            "{} is there twice",
            entry.name
        );
        let program = format!("{}/programs/{}.rs", super::list::FOLDER, entry.name);
        let ours = std::path::Path::new(&program).exists();
        assert_eq!(ours, entry.binary.is_none(), "{}: {program}", entry.name);
    }
    assert_eq!(list.chosen(&[], false).expect("all").len(), names.len());
    assert_eq!(list.chosen(&[], true).expect("a sample").len(), 6);
    assert_eq!(list.chosen(&names[3..5], false).expect("two").len(), 2);
    assert!(list.chosen(&["nothing".into()], false).is_err());
}

#[test]
fn ratios_are_those_of_rounds() {
    let why = "with sumac it hangs";
    let hangs = Outcome::failed(FailureKind::TimeOut, why.into());
    let lines = [
        visits("bad 1.2.3", [&[1.0], &[]]),
        vec![line(NAME, cell("bad 1.2.3", 1, "sumac", 2), 0, hangs)],
        visits("good 1.2.3", [&[2.0, 4.0, 2.0], &[1.0, 2.0, 1.0]]),
        visits("slow 1.2.3", [&[1.0, 1.0, 1.0], &[1.0, 1.06, 9.0]]),
        // Slower by the ratio of the medians, and not by the median of the rounds' ratios.
        visits("uneven 1.2.3", [&[1.0, 2.0, 3.0], &[2.5, 2.0, 3.0]]),
    ];
    let all = gathered(NAME.into(), lines.concat());
    let table = table(&all);
    let rows = table.rows();
    assert_eq!(rows[0][2..5], ["1.00 s ±0%", "**FAILED**", ""]);
    assert_eq!(
        rows[1][..],
        [
            "good 1.2.3",
            "7",
            "2.00 s ±40%",
            "0.50 ±0%",
            "0.50 ±0%",
            "1.00",
            "3; 2",
            "1.10",
            ""
        ]
    );
    assert!(rows[2][3].starts_with("**1.06"), "{:?}", rows[2]);
    let said = average(&all);
    assert!(
        said.contains("0.81 of the wall time") && said.contains("1 of 4 crates"),
        "{said}"
    );
    assert!(
        said.contains("2 by the ratio of the medians (slow 1.2.3 1.06, uneven 1.2.3 1.25)."),
        "{said}"
    );
    assert!(said.contains("more than 0.02 beside 4 of them"), "{said}");
    let sections = sections(&all);
    assert_eq!(sections[1].table.rows(), [["bad 1.2.3", why]]);
    assert_eq!(crates_failed(&all), 1);
}

#[test]
fn test_programs_are_heard() {
    let mut tested = Tested::default();
    tested.read("test a::b ... ok\ntest a::c ... FAILED\n");
    tested.read("test result: FAILED. 12 passed; 1 failed; 0 ignored");
    tested.read("test result: ok. 30 passed; 0 failed; 2 ignored");
    assert_eq!(tested.passed, 42);
    assert_eq!(tested.failed.into_iter().collect::<Vec<_>>(), ["a::c"]);
}

#[test]
fn the_list_of_rpb_is_sound() {
    let list = List::of_rpb("123456789").expect("it can be read");
    for entry in &list.crates {
        assert_eq!(entry.title(), format!("{} 123456789", entry.name));
        assert!(entry.writes() && entry.binary.is_some(), "{}", entry.name);
    }
}

#[test]
fn inputs_have_their_sizes_and_are_the_same_each_time() {
    let sizes = Sizes {
        numbers: 1000,
        bytes: 500,
        levels: 6,
        edges: 400,
    };
    let [first, second] = [(), ()].map(|()| tempfile::tempdir().expect("a folder"));
    fill(first.path(), sizes).expect("it is written");
    fill(second.path(), sizes).expect("it is written");
    let text = |name: &str| {
        let [first, second] = [&first, &second].map(|folder| folder.path().join(name));
        let text = std::fs::read_to_string(first).expect(name);
        assert_eq!(text, std::fs::read_to_string(second).expect(name));
        text
    };
    for (name, header, lines) in [
        ("numbers", "sequenceInt", 1000),
        ("few", "sequenceInt", 1000),
        ("edges", "EdgeArray", 400),
        ("weighted", "WeightedEdgeArray", 100),
    ] {
        assert_eq!(text(name).lines().next(), Some(header));
        assert_eq!(text(name).lines().count(), 1 + lines, "{name}");
    }
    let [numbers, few] = ["numbers", "few"].map(text);
    let most = |text: &str| text.lines().filter_map(|n| n.parse::<u32>().ok()).max();
    assert!(most(&numbers) > Some(100_000) && most(&few) < Some(100_000));
    assert_eq!(text("text").len(), 500);
    let graph = text("graph");
    let (header, rest) = graph.split_once('\n').expect("a header");
    let numbers: Vec<usize> = rest.lines().map(|n| n.parse().expect("a number")).collect();
    let (nodes, edges) = (numbers[0], numbers[1]);
    assert_eq!((header, nodes), ("AdjacencyGraph", 64));
    assert_eq!(numbers.len(), 2 + nodes + edges);
    let (begins, neighbours) = numbers[2..].split_at(nodes);
    let of = |u: usize| {
        let end = begins.get(u + 1).copied().unwrap_or(edges);
        &neighbours[begins[u]..end]
    };
    for u in 0..nodes {
        assert!(of(u).is_sorted_by(|a, b| a < b), "{u}: {:?}", of(u));
        assert!(of(u).iter().all(|&v| v != u && of(v).contains(&u)), "{u}");
    }
}

#[test]
fn what_a_program_of_rpb_writes_is_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = folder.path().join("output");
    let printed = b"mis:phase:\t9.0\nmis:\t0.25\nother:\t1\nmis:\t0.50\nmean:  375ms\n";
    assert_eq!(written("mis", printed, &output), Err("writes nothing"));
    std::fs::write(&output, "1\n0").expect("it is written");
    assert_eq!(written("mis", b"mean: 1s", &output), Err("prints no times"));
    let good = Ok((vec![0.25, 0.5], b"1\n0".to_vec()));
    assert_eq!(written("mis", printed, &output), good);
}

#[test]
fn the_table_of_rpb_has_what_its_programs_say() {
    let lines = visits("mis 123456789", [&[2.0, 2.0], &[1.0, 1.0]]);
    let all = gathered(RPB.into(), lines);
    let rows = table(&all).rows().to_vec();
    let row = [
        "mis 123456789",
        "7",
        "2.00 s ±0%",
        "0.50 ±0%",
        "1.00",
        "3; 2",
        "1.10",
    ];
    assert_eq!(rows, [row]);
    let said = average(&all);
    assert!(
        said.starts_with("Geometric mean: 0.50 of the wall time; 0 of 1 programs"),
        "{said}"
    );
}
