use std::collections::BTreeMap;

use super::build::Tested;
use super::tables::{average, table};
use super::visit::Taken;
use super::{Found, List, Ready, chapter, sections};
use crate::file::{read_list, save_list};
use crate::machine::Machine;
use crate::patched::Under;

fn found(name: &str, walls: [&[f64]; 2], failed: &[&str]) -> Found {
    let taken = |wall: &f64| Taken {
        wall: *wall,
        cpu: 2.0 * wall,
        memory: 1024,
        threads: 0,
    };
    let both = Under::BOTH.into_iter();
    Found {
        name: name.into(),
        version: "1.2.3".into(),
        program: None,
        ready: Ready {
            programs: BTreeMap::new(),
            bytes: both.clone().zip([1000, 1100]).collect(),
            seconds: BTreeMap::new(),
            common: 7,
            tests: BTreeMap::new(),
        },
        taken: both
            .clone()
            .zip(walls)
            .map(|(u, w)| (u, w.iter().map(taken).collect()))
            .collect(),
        threads: both.zip([3, 2]).collect(),
        failed: failed.iter().map(|why| why.to_string()).collect(),
        cores_of_others: None,
        machine: Machine::this(),
    }
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
    let all = [
        found("good", [&[2.0, 4.0, 2.0], &[1.0, 2.0, 1.0]], &[]),
        found("slow", [&[1.0, 1.0, 1.0], &[1.0, 1.06, 9.0]], &[]),
        found("bad", [&[], &[]], &["with sumac it hangs"]),
    ];
    let table = table(&all);
    let rows = table.rows();
    assert_eq!(
        rows[0][2..9],
        [
            "2.00 s ±40%",
            "0.50 ±0%",
            "0.50 ±0%",
            "1.00",
            "3; 2",
            "1.10",
            ""
        ]
    );
    assert!(rows[1][3].starts_with("**1.06"), "{:?}", rows[1]);
    assert_eq!(rows[2][2..5], ["", "**FAILED**", ""]);
    let said = average(&all);
    assert!(
        said.contains("0.73 of the wall time") && said.contains("1 of 3 crates"),
        "{said}"
    );
    let sections = sections(&all);
    assert_eq!(sections[1].table.rows(), [["bad", "with sumac it hangs"]]);
    let page = chapter(&all, "field.json".as_ref());
    assert!(
        page.alert
            .into_string()
            .contains("1 crates of the field failed")
    );
}

#[test]
fn results_are_kept_as_they_are() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let file = folder.path().join("field.json");
    save_list(&file, &[found("one", [&[1.5], &[2.5]], &[])]).expect("it is written");
    let again = read_list::<Found>(&file, "lab field").expect("it is read");
    assert_eq!(again[0].taken[&Under::Sumac][0].wall, 2.5);
    std::fs::write(&file, "[{}]").expect("a file");
    assert!(
        read_list::<Found>(&file, "lab field")
            .is_err_and(|why| why.contains("no result of `lab field`"))
    );
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
