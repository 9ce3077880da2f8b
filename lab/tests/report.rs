//! `lab report` from outside: files, exit codes, messages.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What `lab report` with these words came to in a folder: its exit code, stdout, stderr.
fn report(folder: &Path, words: &[&str]) -> (Option<i32>, String, String) {
    let mut lab = Command::new(env!("CARGO_BIN_EXE_lab"));
    lab.current_dir(folder).arg("report").args(words);
    let output = lab.output().expect("the lab starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// A folder as the repository is, of results of a build from this commit.
fn repository(folder: &Path, commit: &str) {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/programs.jsonl");
    let text = fs::read_to_string(data).expect("results");
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
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    repository(folder, "0");
    let check = || report(folder, &["--check"]);
    let (code, _, said) = check();
    assert_eq!(code, Some(1));
    let stale = "results/A.md:3: is not what the results say";
    assert!(said.contains(stale), "{said}");
    assert_eq!(report(folder, &[]).0, Some(0));
    let text = fs::read_to_string(folder.join("results/A.md")).expect("the document");
    let is_made = text.contains("| fib, n = 30 ") && !text.contains("1 s");
    assert!(is_made, "{text}");
    assert_eq!(check().0, Some(0), "{}", check().2);
    let (_, again, _) = report(folder, &[]);
    assert!(again.contains("0 files changed"), "{again}");

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
        let (code, _, said) = check();
        assert!(code == Some(1) && said.contains(line), "{line}: {said}");
        fs::write(&file, before).expect("a file");
    }
    assert_eq!(report(folder, &[]).0, Some(0));
    assert!(!folder.join("results/figures/old.svg").exists());
}

#[test]
fn old_records_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let git = |arguments: &[&str], input: &str| {
        let mut git = Command::new("git");
        git.current_dir(folder)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = git.spawn().expect("git starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(input.as_bytes()).expect("git reads");
        drop(stdin);
        String::from_utf8(child.wait_with_output().expect("git ends").stdout).expect("text")
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
        repository(folder, commit.trim());
        report(folder, &[]);
        let (code, _, said) = report(folder, &["--check"]);
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(said.contains("commits old"), old.is_some(), "{said}");
        assert!(said.contains(old.unwrap_or_default()), "{said}");
    }
}

#[test]
fn no_results_are_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let why = |part: &str| {
        let (code, _, said) = report(folder, &[]);
        assert!(code == Some(1) && said.contains(part), "{said}");
    };
    why("no results/MACHINE/*.jsonl");
    fs::create_dir_all(folder.join("results/m-2")).expect("a folder");
    fs::write(folder.join("results/m-2/bad.jsonl"), "{}\n").expect("a file");
    why("bad.jsonl: line 1 is not a result");
}
