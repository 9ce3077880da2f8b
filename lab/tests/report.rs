//! `lab report` from outside: files, exit codes, messages.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{name}"));
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("the last run's folder can be removed");
    }
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The committed results, in a file of the folder.
fn results(folder: &Path) -> PathBuf {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/programs.jsonl");
    let file = folder.join("programs.jsonl");
    fs::copy(&data, &file).expect("a file");
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

/// A folder as the repository is, of results of a build from this commit.
fn repository(folder: &Path, commit: &str) {
    let text = fs::read_to_string(results(folder)).expect("results");
    // A figure takes several numbers of threads.
    let text = text.clone() + &text.replace("\"threads\":2", "\"threads\":4");
    let text = text.replace(
        "\"sumac\":\"0.1.0\"",
        &format!("\"sumac\":\"0.1.0+{commit}\""),
    );
    fs::create_dir_all(folder.join("results/imaginary-9000-2")).expect("a folder");
    fs::write(folder.join("results/imaginary-9000-2/programs.jsonl"), text).expect("results");
    let document = "# A\n<!-- lab:cases time programs x2 -->\n<!-- /lab -->\n\
                    <!-- lab:figure threads programs fib 30 -->\n<!-- /lab -->\n\
                    In <!--= time programs fib 30 rayon x2 -->1 s<!--/=-->.\n";
    fs::write(folder.join("results/A.md"), document).expect("a file");
    fs::write(folder.join("README.md"), "# B\n").expect("a file");
}

#[test]
fn documents_are_made_anew_and_checked() {
    let folder = folder("documents");
    repository(&folder, "0");
    let check = || lab(&folder, &["report", "--check"]);
    let output = check();
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    assert!(
        said.contains("results/A.md:3: is not what the results say"),
        "{said}"
    );
    assert!(lab(&folder, &["report"]).status.success());
    let text = fs::read_to_string(folder.join("results/A.md")).expect("the document");
    assert!(
        text.contains("| fib, n = 30 ") && !text.contains("1 s"),
        "{text}"
    );
    assert!(check().status.success(), "{}", stderr(&check()));
    let again = lab(&folder, &["report", "--html", "all.html"]);
    assert!(
        stdout(&again).contains("0 files changed"),
        "{}",
        stdout(&again)
    );
    let page = fs::read_to_string(folder.join("all.html")).expect("the page");
    assert!(page.contains("<table>") && page.contains("<svg "), "{page}");

    // One of each fault.
    let drawn = fs::read_dir(folder.join("results/figures"))
        .expect("figures")
        .next();
    let drawn = drawn.expect("a figure").expect("a file").path();
    for (file, text, line) in [
        (
            folder.join("README.md"),
            "# B\nIt takes 5 ms.\n",
            "README.md:2: `5 ms` is from no record",
        ),
        (
            folder.join("README.md"),
            "# B\n<!-- lab:pending cases time programs x2 -->\n<!-- /lab -->\n",
            "README.md:2: is not what the results say",
        ),
        (
            folder.join("results/A.md"),
            &text.replacen("| fib", "| fab", 1),
            "results/A.md:6: is not",
        ),
        (drawn, "<svg/>", ".svg:1: is not what the results say"),
        (
            folder.join("results/figures/old.svg"),
            "<svg/>",
            "old.svg: no document shows it",
        ),
    ] {
        let before = fs::read(&file).unwrap_or_default();
        fs::write(&file, text).expect("a file");
        let output = check();
        assert_eq!(output.status.code(), Some(1), "{line}");
        assert!(
            stderr(&output).contains(line),
            "{line}: {}",
            stderr(&output)
        );
        fs::write(&file, before).expect("a file");
    }
    assert!(lab(&folder, &["report"]).status.success());
    assert!(!folder.join("results/figures/old.svg").exists());
}

#[test]
fn old_records_are_told() {
    let folder = folder("old");
    let git = |arguments: &[&str], input: &str| {
        let mut git = Command::new("git");
        git.current_dir(&folder)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = git.spawn().expect("git starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(input.as_bytes()).expect("git reads");
        drop(stdin);
        stdout(&child.wait_with_output().expect("git ends"))
    };
    git(&["init", "--quiet"], "");
    let commits = (0..=201).map(|n| {
        format!(
            "commit refs/heads/all\ncommitter A <a> {n} +0000\ndata 0\n\
             M 644 inline crates/par/{n}\ndata 0\n\n"
        )
    });
    git(&["fast-import", "--quiet"], &commits.collect::<String>());
    git(&["symbolic-ref", "HEAD", "refs/heads/all"], "");
    for (back, old) in [
        ("HEAD~200", None),
        ("HEAD~201", Some("`programs` is 201 commits old")),
    ] {
        let commit = git(&["rev-parse", back], "");
        repository(&folder, commit.trim());
        lab(&folder, &["report"]);
        let output = lab(&folder, &["report", "--check"]);
        assert!(output.status.success(), "{}", stderr(&output));
        let said = stderr(&output);
        assert_eq!(said.contains("commits old"), old.is_some(), "{said}");
        assert!(said.contains(old.unwrap_or_default()), "{said}");
    }
}

#[test]
fn no_results_are_an_error() {
    let folder = folder("none");
    let why = || {
        let output = lab(&folder, &["report"]);
        assert_eq!(output.status.code(), Some(1));
        stderr(&output)
    };
    assert!(why().contains("no results/MACHINE/*.jsonl"));
    fs::create_dir_all(folder.join("results/m-2")).expect("a folder");
    fs::write(folder.join("results/m-2/bad.jsonl"), "{}\n").expect("a file");
    assert!(
        why().contains("bad.jsonl: line 1 is not a result"),
        "{}",
        why()
    );
}
