//! `lab report` and `lab compare` from outside: files, exit codes, messages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{name}"));
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("the last run's folder can be removed");
    }
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The committed results of one experiment, in a file of the folder.
fn results(folder: &Path, experiment: &str) -> PathBuf {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/results.jsonl");
    let text = fs::read_to_string(data).expect("the committed results");
    let wanted = format!("{{\"experiment\":\"{experiment}\"");
    let lines = text.lines().filter(|line| line.starts_with(&wanted));
    let file = folder.join(experiment).with_extension("jsonl");
    fs::write(
        &file,
        lines.map(|line| format!("{line}\n")).collect::<String>(),
    )
    .expect("a file");
    file
}

fn lab(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    command.current_dir(folder).args(arguments);
    command.output().expect("the lab starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn without_arguments_everything_in_results_is_reported() {
    let folder = folder("all");
    fs::create_dir(folder.join("results")).expect("a folder");
    fs::create_dir(folder.join("experiments")).expect("a folder");
    let about = "about = \"Everybody's <own> programs\"\n[[cells]]\n";
    fs::write(folder.join("experiments/programs.toml"), about).expect("a file");
    results(&folder.join("results"), "programs");
    let output = lab(&folder, &["report"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("results/report/index.html"));
    let page = fs::read_to_string(folder.join("results/report/index.html")).expect("the page");
    assert!(page.contains("Everybody's &lt;own&gt; programs"));
    let figures = folder.join("results/report/figures");
    let png = fs::read(figures.join("programs-side-by-side.png")).expect("a picture");
    assert!(png.starts_with(b"\x89PNG") && png.len() > 5000);
    let svg = fs::read_to_string(figures.join("programs-side-by-side.svg")).expect("a drawing");
    assert!(svg.starts_with("<svg role=\"img\"") && svg.contains("prefers-color-scheme"));
    assert!(
        folder
            .join("results/csv/programs/fib-30-rayon.csv")
            .exists()
    );
}

#[test]
fn the_adders_have_their_section() {
    let folder = folder("adders");
    results(&folder, "programs");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/adders.jsonl");
    let report = |more: &[&str]| {
        let output = lab(&folder, &[&["report", "programs.jsonl"], more].concat());
        let page = |name| fs::read_to_string(folder.join("results/report").join(name));
        let pages = ["index.html", "adders.html"].map(|name| page(name).unwrap_or_default());
        (output, pages.concat())
    };
    let figure = |ending: &str| {
        let name = format!("results/report/figures/adders-input-size-29.{ending}");
        folder.join(name)
    };
    let heading = "<h1>The adders</h1>";

    let (output, page) = report(&[]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(page.contains("programs") && !page.contains(heading));
    assert!(!figure("svg").exists());

    // What is named must be there, and must be results.
    fs::write(folder.join("bad.jsonl"), "{}\n").expect("a file");
    for (name, why) in [
        ("none.jsonl", "does not exist"),
        ("bad.jsonl", "missing field"),
    ] {
        let (output, _) = report(&[name]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        let said = stderr(&output);
        assert!(said.contains(name) && said.contains(why), "{said}");
    }

    let (output, page) = report(&[&data.display().to_string()]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(page.contains(heading) && page.contains("id=\"adders-input-size-29\""));
    assert!(
        fs::read(figure("png"))
            .expect("a picture")
            .starts_with(b"\x89PNG")
    );
    // They are not among the tables of the others.
    assert!(!folder.join("results/csv/adders").exists());
}

#[test]
fn no_results_are_an_error() {
    let folder = folder("none");
    let output = lab(&folder, &["report"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("no result file results/*.jsonl"));
    let output = lab(&folder, &["report", "no.jsonl"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("no.jsonl does not exist"));
    fs::write(folder.join("empty.jsonl"), "").expect("a file");
    let output = lab(&folder, &["report", "empty.jsonl"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("no result to report"));
}

#[test]
fn a_document_gets_its_table() {
    let folder = folder("splice");
    results(&folder, "unit");
    let document = folder.join("README.md");
    fs::write(&document, "<!-- lab:units -->\n<!-- /lab -->\n").expect("a file");
    let arguments = ["report", "unit.jsonl", "--splice", "README.md"];
    let output = lab(&folder, &arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    let once = fs::read_to_string(&document).expect("the document");
    assert!(once.contains("| Work per node |"), "{once}");
    assert!(stdout(&lab(&folder, &arguments)).contains("nothing changed"));
    assert_eq!(fs::read_to_string(&document).expect("the document"), once);

    fs::write(&document, "<!-- lab:units -->\nkept\n").expect("a file");
    let output = lab(&folder, &arguments);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("README.md: line 1: no `<!-- /lab -->` follows"));
    assert!(
        fs::read_to_string(&document)
            .expect("the document")
            .contains("kept")
    );
}

#[test]
fn sentences_are_checked() {
    let folder = folder("sentences");
    results(&folder, "programs");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/adders.jsonl");
    fs::copy(&data, folder.join("adders.jsonl")).expect("a copy");
    let document = folder.join("README.md");
    let arguments = [
        "report",
        "programs.jsonl",
        "adders.jsonl",
        "--splice",
        "README.md",
    ];
    let check = || lab(&folder, &[&arguments[..], &["--check"]].concat());
    let said = "It took <!--= time programs fib 30 rayon x2 -->20.7 ms<!--/=-->, Julia <!--= time adders bytes 536870912 julia x2 -->1 s<!--/=-->.\n";
    fs::write(&document, format!("# Title\n{said}")).expect("a file");
    let output = check();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("line 2 is not what the results say"),
        "{}",
        stderr(&output)
    );
    assert!(lab(&folder, &arguments).status.success());
    let text = fs::read_to_string(&document).expect("the document");
    assert!(
        !text.contains("20.7 ms") && !text.contains(">1 s<"),
        "{text}"
    );
    assert!(check().status.success());
    for (key, why) in [
        ("time programs fib 31 rayon x2", "there is no such cell"),
        (
            "luck programs fib 30 rayon x2",
            "no figure is called `luck`",
        ),
        ("time adders bytes 7 julia x2", "there is no such cell"),
    ] {
        fs::write(&document, format!("<!--= {key} -->1<!--/=-->\n")).expect("a file");
        let output = lab(&folder, &arguments);
        assert_eq!(output.status.code(), Some(1), "{key}");
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
}

#[test]
fn documents_say_what_the_results_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for document in ["README.md", "docs/costs.md", "results/FINDINGS.md"] {
        let output = lab(&root, &["report", "--splice", document, "--check"]);
        assert!(output.status.success(), "{}", stderr(&output));
    }
}

#[test]
fn a_planted_slow_contender_is_told() {
    let folder = folder("slow");
    let before = results(&folder, "programs");
    let text = fs::read_to_string(&before).expect("a file");
    // Half as fast again: every sample of rayon's in `fib` gets another digit before its point.
    let slower = text.lines().map(|line| {
        if !(line.contains("\"fib\"") && line.contains("\"rayon\",\"tuning\"")) {
            return format!("{line}\n");
        }
        let mut value: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
        let samples = value["outcome"]["measured"]["samples"].as_array_mut();
        for sample in samples.expect("samples") {
            *sample = (sample.as_f64().expect("a number") * 1.5).into();
        }
        format!("{value}\n")
    });
    fs::write(folder.join("after.jsonl"), slower.collect::<String>()).expect("a file");

    let output = lab(&folder, &["compare", "programs.jsonl", "after.jsonl"]);
    let text = stdout(&output);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        text.contains("Slower: 1\n") && text.contains("Faster: 0\n"),
        "{text}"
    );
    assert!(text.contains("| programs: fib 30 rayon x2 "), "{text}");

    let failing = |a, b| {
        lab(&folder, &["compare", a, b, "--fail-on-slower"])
            .status
            .code()
    };
    assert_eq!(failing("programs.jsonl", "after.jsonl"), Some(1));
    assert_eq!(failing("after.jsonl", "programs.jsonl"), Some(0));
    assert_eq!(failing("programs.jsonl", "programs.jsonl"), Some(0));
    results(&folder, "unit");
    let output = lab(&folder, &["compare", "programs.jsonl", "unit.jsonl"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("no cell in common"));
    assert!(stdout(&output).contains("Only in the first: "));
    let output = lab(
        &folder,
        &[
            "compare",
            "programs.jsonl",
            "after.jsonl",
            "--threshold",
            "60%",
        ],
    );
    assert!(stdout(&output).contains("Slower: 0\n"));
}

#[test]
fn profiles_are_not_mixed() {
    let folder = folder("profiles");
    let new = fs::read_to_string(results(&folder, "programs")).expect("a file");
    // As records were before they said it.
    let old = new.lines().map(|line| {
        let mut value: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
        let machine = value["machine"].as_object_mut().expect("a machine");
        assert!(machine.remove("profile").is_some());
        format!("{value}\n")
    });
    let old: String = old.collect();
    fs::write(folder.join("old.jsonl"), &old).expect("a file");
    fs::write(folder.join("both.jsonl"), new + &old).expect("a file");
    for (before, after) in [("old", "programs"), ("programs", "old"), ("both", "both")] {
        let files = [before, after].map(|name| format!("{name}.jsonl"));
        let output = lab(&folder, &["compare", &files[0], &files[1]]);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(stdout(&output), "");
        let stderr = stderr(&output);
        assert!(
            stderr.contains("different profiles") && stderr.contains("fat LTO, one unit; "),
            "{stderr}"
        );
    }
    assert!(
        lab(&folder, &["compare", "old.jsonl", "old.jsonl"])
            .status
            .success()
    );
}

#[test]
fn bad_arguments_are_refused() {
    let folder = folder("bad");
    for arguments in [
        &["compare", "one.jsonl"] as &[&str],
        &["compare", "a", "b", "--threshold", "-1%"],
        &["compare", "a", "b", "--threshold", "nan"],
        &["report", "--splice", "README.md", "--out", "x"],
        &["report", "--check"],
    ] {
        assert_eq!(
            lab(&folder, arguments).status.code(),
            Some(2),
            "{arguments:?}"
        );
    }
    assert_eq!(lab(&folder, &["compare", "a", "b"]).status.code(), Some(1));
}
