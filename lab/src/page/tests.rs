//! The page is whole, self-contained and escaped; failures, gaps and warnings are on it; splicing
//! is exact.

pub(crate) mod fixture;

use std::fs;
use std::path::PathBuf;

use super::*;
use crate::page::splice::splice;
use crate::program::random::Random;
use crate::results::{Line, Outcome};
use fixture::{cell, line, results, text, visit};

/// Loads lines through a file of their own.
fn loaded(name: &str, lines: &[Line]) -> Loaded {
    load_text(name, &text(lines)).expect("the lines are results")
}

fn load_text(name: &str, text: &str) -> Result<Loaded, String> {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join(name).with_extension("jsonl");
    fs::write(&path, text).expect("a temporary file");
    load(&[path])
}

fn only(experiment: &str) -> Vec<Line> {
    let mut lines = results();
    lines.retain(|line| line.experiment == experiment);
    lines
}

#[test]
fn the_page_shows_everything_and_asks_nobody() {
    let site = Site::new(&loaded("page", &results()), vec![adders()], &[]);
    let page = all(&site);
    for page in &site.pages {
        assert!(
            page.text.len() < 500_000,
            "{}: {}",
            page.file,
            page.text.len()
        );
    }
    for expected in [
        "FAILED, wrong answer: </strong>1 &lt;instead&gt; of 499500",
        "FAILED, out of time: </strong>ended after 60 s",
        "missing: never visited",
        "Imaginary 9000 &lt;test &amp; &quot;quotes&quot;&gt;",
        "Hardware events: not available: no such device",
        "Where the time went: tree, n = 1,000",
        "Overhead per fork: sha1-tree, n = 1,023, 1 thread",
        "Tunings: tree, n = 1,000",
        "Speed-up over the baseline: programs",
        "2 of 55 cells of study failed",
    ] {
        assert!(page.contains(expected), "{expected}");
    }
    for foreign in ["<script", "src=", "@import", "url("] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    let links = page
        .match_indices("http")
        .map(|(at, _)| &page[at..(at + 30).min(page.len())]);
    let foreign: Vec<_> = links
        .filter(|link| !link.starts_with("http://www.w3.org/2000/svg"))
        .collect();
    assert!(foreign.is_empty(), "{foreign:?}");
}

/// The text of all pages.
fn all(site: &Site) -> String {
    site.pages.iter().map(|page| page.text.as_str()).collect()
}

/// The chapter that the lab adds.
fn adders() -> Chapter {
    let file = crate::adders::tests::fixture::committed();
    crate::adders::chapter(&load_one(&file, "adders").expect("the committed file"))
}

#[test]
fn the_adders_are_there_if_there_are_any() {
    let loaded = loaded("chapter", &only("study"));
    let without = Site::new(&loaded, Vec::new(), &[]);
    let with = Site::new(&loaded, vec![adders()], &[]);
    let (figures, parts) = (adders().figures, adders().parts);
    let of_parts = parts.iter().map(|part| part.figures.len()).sum::<usize>();
    let added = with.figures.iter().filter(|f| f.id.starts_with("adders-"));
    assert_eq!(added.count(), figures.len() + of_parts);
    assert_eq!(
        with.figures.len(),
        without.figures.len() + figures.len() + of_parts
    );
    assert_eq!(with.pages.len(), without.pages.len() + 1 + parts.len());
    let (with, without) = (all(&with), all(&without));
    for expected in [
        "<h1>The adders</h1>",
        "<a href=\"adders.html\">The adders</a>",
        "<figure id=\"adders-weak-scaling\">",
        "wrong sum: &lt;8&gt; instead of 7",
        "tests/data/adders.jsonl.</p></footer>",
    ] {
        assert!(with.contains(expected), "{expected}");
        assert!(!without.contains(expected), "{expected}");
    }
    assert!(!without.contains("adders"), "a trace of them");
}

#[test]
fn anchors_are_unique_and_links_lead_somewhere() {
    let site = Site::new(&loaded("anchors", &results()), vec![adders()], &[]);
    let files: Vec<&str> = site.pages.iter().map(|page| page.file.as_str()).collect();
    let mut reached = vec!["index.html"];
    for page in &site.pages {
        let after = |text: &str| -> Vec<&str> {
            let found = page.text.split(text).skip(1);
            found.filter_map(|rest| rest.split('"').next()).collect()
        };
        let mut ids = after(" id=\"");
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "{}: an id twice", page.file);
        for link in after("<a href=\"") {
            match link.strip_prefix('#') {
                Some(id) => assert!(ids.contains(&id), "{}: {link} leads nowhere", page.file),
                None => assert!(files.contains(&link), "{}: no page {link}", page.file),
            }
            reached.push(files[files.iter().position(|file| *file == link).unwrap_or(0)]);
        }
    }
    let alone = files.iter().find(|file| !reached.contains(file));
    assert_eq!(alone, None, "no link leads there");
    let count = files.len();
    let files: std::collections::BTreeSet<_> = files.into_iter().collect();
    assert_eq!(files.len(), count, "a page twice");
}

#[test]
fn a_document_is_a_chapter() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let file = folder.path().join("one.md");
    let chapter = |content: &str| {
        fs::write(&file, content).expect("a temporary file");
        super::text::chapter(&file)
    };
    let written = "## The `lab`'s own\n\n### Part\n\n| a | b |\n|---|---|\n| 1 < 2 | [x](http://y) |\n\n\
                   ![picture](p.png) <img src=\"q.png\"> words\n";
    let chapter_of = chapter(written).expect("it has a heading");
    assert_eq!(
        (&*chapter_of.title, &*chapter_of.file),
        ("The lab's own", "the-lab-s-own.html")
    );
    let body = chapter_of.body.into_string();
    assert!(
        body.contains("<div class=\"scroll\"") && body.matches("<table>").count() == 1,
        "{body}"
    );
    assert!(
        body.contains("<td>1 &lt; 2</td><td>x</td>") && body.contains("picture"),
        "{body}"
    );
    assert!(!body.contains("src=") && !body.contains("href="), "{body}");
    assert!(
        chapter("words\n")
            .expect_err("no heading")
            .contains("does not begin")
    );
}

#[test]
fn findings_are_what_the_results_say() {
    let mut loaded = loaded("findings", &only("programs"));
    let found = |loaded: &Loaded| sentences(loaded);
    assert!(found(&loaded).is_empty(), "the fixture has other cells");
    loaded
        .experiments
        .push(load_one(&crate::adders::tests::fixture::committed(), "adders").expect("it"));
    let adders = found(&loaded);
    assert_eq!(adders.len(), 1, "{adders:?}");
    assert!(
        adders[0].starts_with("**Ranks take longer") && !adders[0].contains("<!--"),
        "{adders:?}"
    );
    let page = all(&Site::new(&loaded, Vec::new(), &adders));
    assert!(
        page.contains("<li><strong>Ranks take longer than threads, less where they share memory.</strong> The sum of 512 MiB takes ")
    );
}

#[test]
fn the_fixture_tells_idle_from_competing() {
    let loaded = loaded("limits", &only("study"));
    let groups = loaded.experiments[0].groups();
    let limit = |group: usize, contender: &str, threads: usize| {
        let series = cases::Series {
            contender: contender.into(),
            tuning: String::new(),
        };
        let facts = groups[group]
            .facts(&series, threads)
            .expect("it was measured");
        let baseline = groups[group].baseline().expect("it was measured");
        facts::Cores::of(facts, baseline, threads, 2)
            .expect("times are known")
            .limit()
    };
    assert_eq!(limit(0, "rayon", 8), facts::Limit::Competing);
    assert_eq!(limit(0, "sumac-scope", 2), facts::Limit::Idle);
    assert_eq!(limit(1, "sumac-scope", 2), facts::Limit::Working);
}

#[test]
fn gaps_are_found() {
    let loaded = loaded("gaps", &only("study"));
    let groups = loaded.experiments[0].groups();
    let missing: Vec<String> = groups[0]
        .missing
        .iter()
        .map(|(s, n)| format!("{s} {n}"))
        .collect();
    assert_eq!(missing, ["chili 16"]);
    assert!(groups[1].missing.is_empty());
}

#[test]
fn a_visit_that_was_repeated_counts_once() {
    let random = &mut Random::new();
    let here = cell("tree", 1000, "rayon", 2);
    let kind = crate::results::FailureKind::Crash;
    let failed = Outcome::Failed {
        kind,
        message: "signal 11".into(),
    };
    let fine = Outcome::Measured(Box::new(visit(random, 100.0, 0.01, 1.0, 10)));
    let lines = [
        line("e", here.clone(), 0, failed),
        line("e", here.clone(), 0, fine),
    ];
    let loaded = loaded("repeated", &lines);
    let tally = &loaded.experiments[0].cells[&here];
    assert!(tally.failures.is_empty());
    assert_eq!(tally.facts.as_ref().map(|facts| facts.visits), Some(1));
}

#[test]
fn half_a_line_is_a_warning_and_a_damaged_one_an_error() {
    let lines = only("programs");
    let whole = text(&lines);
    let cut = load_text("cut", &whole[..whole.len() - 20]).expect("the rest is whole");
    assert_eq!(cut.warnings.len(), 1);
    assert!(all(&Site::new(&cut, Vec::new(), &[])).contains("half-written"));
    let damaged = whole.replacen("\"round\":1", "\"round\":x", 1);
    let error = load_text("damaged", &damaged).expect_err("a line is damaged");
    assert!(error.contains("line 2 is not a result"), "{error}");
    assert!(
        load(&[PathBuf::from("no/such.jsonl")])
            .expect_err("no file")
            .contains("does not exist")
    );
}

#[test]
fn samples_that_are_strange_do_no_harm() {
    let random = &mut Random::new();
    let mut lines = Vec::new();
    for (contender, samples) in [
        ("baseline", vec![0.0]),
        ("rayon", vec![]),
        ("chili", vec![0.0, 0.0]),
        ("sumac-scope", vec![1e300, 1e-300]),
    ] {
        for threads in [1, 64] {
            let mut measured = visit(random, 1.0, 0.0, 0.0, 0);
            measured.samples = samples.clone();
            measured.spent = crate::results::CellTimes::default();
            let outcome = Outcome::Measured(Box::new(measured));
            lines.push(line(
                "strange",
                cell("<&>", 0, contender, threads),
                0,
                outcome,
            ));
        }
    }
    let site = Site::new(&loaded("strange", &lines), Vec::new(), &[]);
    assert!(!site.figures.is_empty());
    let svg = &site.figures[0].svg;
    assert!(Painter::new().png(svg).is_ok());
}

#[test]
fn a_picture_has_words_without_fonts_of_the_machine() {
    let drawn = |text: &str| {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"90\" height=\"30\" viewBox=\"0 0 90 30\">\
             <text x=\"2\" y=\"20\" font-family=\"sans-serif\" font-size=\"20\">{text}</text></svg>"
        );
        Painter::new().png(&svg).expect("it is a drawing")
    };
    assert!(drawn("µs ×2").len() > drawn("").len() + 200);
}

#[test]
fn csv_files_hold_a_row_per_number_of_threads() {
    let tables = csv::tables(&loaded("csv", &only("study")));
    let (_, text) = tables
        .iter()
        .find(|(name, _)| name == "study/tree-1000-sumac-scope.csv")
        .expect("it is there");
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows.len(), 1 + 6);
    assert!(rows[0].starts_with("threads,tuning,mean_ns_per_piece"));
    assert!(rows[6].starts_with("32,,"));
    assert!(rows.iter().all(|row| row.split(',').count() == 14));
}

#[test]
fn what_others_published_stands_below_and_is_marked() {
    let text = summary::markdown(&loaded("elsewhere", &only("study")));
    let row = |row: &str| text.lines().position(|line| line.starts_with(row));
    let ours = row("| sumac scope").expect("a row of ours");
    let spice = row("| Spice, published").expect("a row of Spice's");
    assert!(ours < spice, "{text}");
    let cells: Vec<&str> = text.lines().nth(spice).unwrap().split('|').collect();
    assert_eq!(cells[2].trim(), "1.99 ns", "its own baseline");
    assert_eq!(cells[3].trim(), "2.29 ns");
    assert!(text.contains("Their baselines are their own"));
}

const DOCUMENT: &str = "# A\n<!-- lab:nodes -->\nold\n<!-- /lab -->\nend <!-- lab:nodes --> of it\n```\n<!-- /lab -->\n```\n";

#[test]
fn splicing_replaces_only_what_is_between_and_twice_is_once() {
    let loaded = loaded("splice", &only("study"));
    let once = splice(DOCUMENT, &loaded).expect("the markers are right");
    assert!(
        once.starts_with("# A\n<!-- lab:nodes -->\n\n| Number of nodes"),
        "{once}"
    );
    assert!(
        once.ends_with("\n<!-- /lab -->\nend <!-- lab:nodes --> of it\n```\n<!-- /lab -->\n```\n")
    );
    assert!(
        once.contains("`cargo run --release --features full -- run study`")
            && !once.contains("old")
    );
    assert_eq!(splice(&once, &loaded).expect("it has markers"), once);
}

#[test]
fn forks_pay_from_a_measured_unit_on() {
    // Divided by hand, small units take half of the time and large ones nearly all of it.
    let mut lines = only("unit");
    let by_hand = lines.clone().into_iter().filter_map(|mut line| {
        let small = ["work=0", "work=1"].contains(&&*line.cell.parameters);
        (line.cell.contender == "sumac-scope").then(|| {
            line.cell.contender = "static-split".into();
            if let Outcome::Measured(seen) = &mut line.outcome {
                let part = if small { 0.5 } else { 0.97 };
                seen.samples.iter_mut().for_each(|ns| *ns *= part);
            }
            line
        })
    });
    let by_hand: Vec<Line> = by_hand.collect();
    lines.extend(by_hand);
    let loaded = loaded("pays", &lines);
    let filled = |who: &str| splice(&format!("<!--= pays unit {who} -->?<!--/=-->\n"), &loaded);
    let groups = loaded.experiments[0].groups();
    let ten = groups
        .iter()
        .find(|group| group.case.parameters == "work=10");
    let unit = ten
        .and_then(cases::Group::baseline)
        .expect("it was measured");
    let said = filled("sumac-scope x2").expect("it pays");
    assert!(
        said.contains(&format!(">{}<", crate::table::time(unit.per_piece()))),
        "{said}"
    );
    let why = filled("other x2").expect_err("there is no such contender");
    assert!(why.contains("it pays for no unit of work"), "{why}");
}

#[test]
fn markers_that_are_wrong_are_errors() {
    let loaded = loaded("markers", &results());
    let why = |text: &str| splice(text, &loaded).expect_err(text);
    assert_eq!(
        why("nothing\n"),
        "no line `<!-- lab:TABLE -->`, and no figure"
    );
    assert_eq!(
        why("<!-- lab:nodes study -->\n"),
        "line 1: no `<!-- /lab -->` follows"
    );
    assert_eq!(
        why("a\n<!-- /lab -->\n"),
        "line 2: `<!-- /lab -->` without `<!-- lab:... -->`"
    );
    let twice = why("<!-- lab:nodes study -->\n<!-- lab:units -->\n<!-- /lab -->\n");
    assert!(
        twice.contains("line 2") && twice.contains("line 1"),
        "{twice}"
    );
    assert!(
        why("<!-- lab:towns -->\n<!-- /lab -->\n")
            .contains("the tables are: field, findings, nodes, threads, scaling, units")
    );
    assert!(
        why("<!-- lab:nodes -->\n<!-- /lab -->\n").contains("one of the experiments study, tuning")
    );
    assert!(why("<!-- lab:field -->\n<!-- /lab -->\n").contains("no results"));
    assert!(why("<!-- lab:units study -->\n<!-- /lab -->\n").contains("no results"));
}
