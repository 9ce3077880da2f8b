//! What an adder says is believed only if it is right; inputs are what they are said to be; figures
//! and goals follow from entries.

use std::fs;

use super::input::Input;
use super::visit::judged;
use super::*;

const SAYS: &str = r#"{"adder":"c","sum":7,"ranks":2,"threads":1,"load_us":1.0,"cold_us":2.0,"warm_us":[3.0,5.0]}"#;

#[test]
fn only_right_answers_are_believed() {
    let judge = |says: &str, who, sum| judged(says.as_bytes(), who, sum, 9.0);
    let right = judge(SAYS, (Adder::C, 2, 2), 7);
    assert!(
        matches!(right, Visited::Right { wall_us: 9.0, .. }),
        "{right:?}"
    );
    for (says, who, sum, why) in [
        (SAYS, (Adder::C, 2, 2), 8, "wrong sum: 7 instead of 8"),
        (
            SAYS,
            (Adder::C, 3, 2),
            7,
            "2 ranks of 1 threads instead of 3",
        ),
        (SAYS, (Adder::C, 2, 3), 7, "2 warm passes instead of 3"),
        ("", (Adder::C, 2, 2), 7, "something else"),
        (&SAYS.repeat(2), (Adder::C, 2, 2), 7, "something else"),
    ] {
        let Visited::Failed(said) = judge(says, who, sum) else {
            panic!("{why}: believed");
        };
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

/// Adders that need `base` microseconds for a MiB and kernel, all equally.
fn entries() -> Vec<Entry> {
    let mut entries = Vec::new();
    for log in [20, 21, 22, 29] {
        for kernel_count in [1, 2, 4] {
            let cell = Cell {
                input_size: 1 << log,
                kernel_count,
            };
            for round in 0..2 {
                let mut entry = Entry::new(cell, round, 1, 7);
                for (number, &adder) in Adder::all().iter().enumerate() {
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
                    entry.add(adder, Found::from(Visited::Right { seen, wall_us: us }));
                }
                entries.push(entry);
            }
        }
    }
    entries
}

#[test]
fn the_fields_are_the_first_managers_and_ours() {
    let text = serde_json::to_string(&entries()).expect("plain data");
    let begins = r#"[{"kernel_count":1,"input_size":1048576,"single_bench_result":{"c":40.0,"#;
    assert!(text.starts_with(begins), "{}", &text[..200]);
    for field in [
        "rust_mpi_wrapper\":",
        "\"rust-mpi-wrapper\":{",
        "\"seed\":",
        "\"wall_us\":",
        "\"warm_us\":[",
    ] {
        assert!(text.contains(field), "{field}");
    }
    let again: Vec<Entry> = serde_json::from_str(&text).expect("the same");
    assert_eq!(again.len(), entries().len());
}

#[test]
fn figures_are_drawn_of_what_there_is() {
    let (text, figures) = page(&entries(), &[]);
    let ids: Vec<&str> = figures.iter().map(|figure| figure.id.as_str()).collect();
    for id in [
        "kernel-count-2",
        "input-size-21",
        "speedup-input-size-29",
        "weak-scaling",
    ] {
        assert!(ids.contains(&id), "{id}: {ids:?}");
    }
    assert!(text.contains("Weak scaling, 1 MiB per kernel"));
    assert!(
        page(&entries()[..2], &[]).1.is_empty(),
        "a single cell has no figure"
    );
}

#[test]
fn goals_are_met_or_missed() {
    let verdicts = verdicts(&entries());
    let met: Vec<_> = verdicts.iter().map(|verdict| verdict.met).collect();
    // The floor is slower here; 70 µs are too many; the ranks take 8/7 of the threads' time; 46 ms
    // will do; the first in C is faster.
    assert_eq!(
        met,
        [
            Some(true),
            Some(true),
            Some(false),
            Some(true),
            Some(true),
            Some(false)
        ]
    );
}

#[test]
fn no_adder_is_faster_than_reading() {
    let entries = fixture::entries();
    assert_eq!(results::beaten(&entries), []);
    // What is not reading but the floor of a slower machine.
    let slow = |by: f64| {
        let mut entries = fixture::entries();
        for entry in &mut entries {
            let floor = entry.adders.get_mut(&Adder::Floor);
            let seen = floor.and_then(|floor| floor.seen.as_mut());
            let seen = seen.expect("the floor was measured");
            let cold = entry.kernel_count == 4;
            let times = match cold {
                true => std::slice::from_mut(&mut seen.cold_us),
                false => &mut seen.warm_us[..],
            };
            times.iter_mut().for_each(|us| *us *= by);
        }
        entries
    };
    let beaten = |by| {
        let beaten = results::beaten(&slow(by)).into_iter();
        let beaten = beaten.filter(|(cell, adder, _)| {
            *adder == Adder::Sumac && cell.input_size == 1 << 29 && cell.kernel_count <= 4
        });
        beaten
            .map(|(cell, ..)| cell.kernel_count)
            .collect::<Vec<_>>()
    };
    assert!(beaten(1.05).is_empty(), "by chance");
    assert_eq!(beaten(1.5), [1, 2, 4], "warm or cold");
    let chapter = chapter(&slow(1.5), &fixture::committed());
    let alert = chapter.alert.into_string();
    assert!(
        alert.contains("an adder was faster than the floor"),
        "{alert}"
    );
}

#[test]
fn a_failure_is_no_measurement() {
    let mut entries = entries();
    let cell = Cell {
        input_size: 1 << 29,
        kernel_count: 1,
    };
    let entry = entries
        .iter_mut()
        .find(|entry| entry.is_of(cell))
        .expect("it is there");
    entry.add(
        Adder::Sumac,
        Found::from(Visited::Failed("on purpose".into())),
    );
    assert_eq!(results::errors(&entries).len(), 1);
    assert_eq!(verdicts(&entries)[0].met, None);
    assert!(
        results::table(&entries, cell)
            .to_string()
            .contains("FAILED")
    );
}

#[test]
fn the_chapter_tells_most_first_and_hides_nothing() {
    let entries = fixture::entries();
    let chapter = chapter(&entries, &fixture::committed());
    let body = chapter.body.into_string();
    let (open, folded) = body.split_once("<details").expect("something is folded");
    for (figure, shown) in [
        ("adders-kernel-count-2", true),
        ("adders-input-size-29", true),
        ("adders-speedup-input-size-29", true),
        ("adders-weak-scaling", true),
        ("adders-kernel-count-16", false),
        ("adders-input-size-20", false),
        ("adders-speedup-input-size-26", false),
    ] {
        let id = format!("<figure id=\"{figure}\"");
        assert_eq!(
            (open.contains(&id), folded.contains(&id)),
            (shown, !shown),
            "{figure}"
        );
    }
    let figures = chapter.figures.iter();
    assert!(
        figures
            .clone()
            .all(|figure| body.contains(&format!("id=\"{}\"", figure.id)))
    );
    assert_eq!(figures.count(), body.matches("<figure ").count());
    assert_eq!(
        folded.matches("<h4>").count(),
        results::cells(&entries).len()
    );
    assert!(open.contains("goals met") && !body.contains("<details open"));
    let alert = chapter.alert.into_string();
    assert!(
        alert.contains("512 MiB, 16 ranks or threads, julia: wrong sum: &lt;8&gt;"),
        "{alert}"
    );
}

#[test]
fn what_is_no_result_is_refused() {
    let good = fs::read_to_string(fixture::committed()).expect("the committed file");
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let file = folder.path().join("bench_result.json");
    let why = |text: &str| {
        fs::write(&file, text).expect("a temporary file");
        read(&file).map(|entries| entries.len())
    };
    assert_eq!(why(&good), Ok(fixture::entries().len()));
    for (text, reason) in [
        (String::new(), "no result of `lab adders`: EOF"),
        ("[]".into(), "no entry"),
        (good[..good.len() / 2].into(), "no result of `lab adders`"),
        (good.replacen("\"floor\":{", "\"flour\":{", 1), "flour"),
        (
            good.replacen("\"kernel_count\":1,", "\"kernel_count\":0,", 1),
            "entry 1 contradicts itself",
        ),
        (
            good.replace("\"wall_us\":null", "\"wall_us\":null,\"x\":1")
                .replace("\"error\":\"julia", "\"errand\":\"julia"),
            "entry 25",
        ),
    ] {
        let said = why(&text).expect_err(reason);
        assert!(
            said.contains(reason) && said.contains("bench_result.json"),
            "{said}"
        );
    }
    folder.close().expect("the folder goes");
    assert!(
        read(&file)
            .expect_err("no file")
            .contains("bench_result.json: ")
    );
}
