//! Whatever goes wrong at one rank ends the whole program, soon, with a message that says what and
//! where, and with an exit code that is not 0.
//!
//! Under the launcher that MPIEXEC names; without it, among threads.

use std::{
    env, fs,
    path::PathBuf,
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

/// All must have ended by then.
const SOON: Duration = Duration::from_secs(10);

/// Whether the ranks are those of an MPI.
fn under_mpi() -> bool {
    env::var_os("MPIEXEC").is_some()
}

fn example(name: &str) -> PathBuf {
    let mut path = env::current_exe().expect("a test has a path");
    path.pop();
    path.pop();
    let path = path.join("examples").join(name);
    assert!(
        path.exists(),
        "`cargo test` builds {path:?} unless told what to test"
    );
    path
}

fn start(ranks: usize, arguments: &[&str]) -> Command {
    let mut command = if under_mpi() {
        let launcher = sumac_mpi::Launcher::find().expect("MPIEXEC names a launcher");
        launcher.command(ranks, example("fault"))
    } else {
        let mut command = Command::new(example("fault"));
        command.env("SUMAC_MPI_RANKS", ranks.to_string());
        command
    };
    command
        .args(arguments)
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null());
    command
}

fn run(ranks: usize, arguments: &[&str]) -> (Output, String) {
    let begin = Instant::now();
    let output = start(ranks, arguments).output().expect("it starts");
    let text = [&output.stdout[..], &output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(
        begin.elapsed() < SOON,
        "{arguments:?} took {:?}: {text}",
        begin.elapsed()
    );
    (output, text)
}

/// Fails, and says so in these words.
fn fails(ranks: usize, arguments: &[&str], words: &[&str]) {
    let (output, text) = run(ranks, arguments);
    assert!(!output.status.success(), "{arguments:?} succeeded: {text}");
    for word in words {
        assert!(
            text.contains(word),
            "{arguments:?} does not say {word:?}: {text}"
        );
    }
}

fn file(len: usize) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().expect("a file");
    fs::write(&file, vec![1; len]).expect("room for it");
    file
}

#[test]
fn nothing_wrong() {
    let (output, text) = run(3, &["none"]);
    assert!(output.status.success(), "{text}");
    let file = file(1000);
    let path = file.path().to_str().expect("a plain path");
    for arguments in [&["sum", path][..], &["sum", path, "1000"]] {
        let (output, text) = run(3, arguments);
        assert!(
            output.status.success() && text.contains("1000 from 3 ranks"),
            "{text}"
        );
    }
}

#[test]
fn memory_is_given_back() {
    let (output, text) = run(2, &["share"]);
    assert!(output.status.success(), "{text}");
}

#[test]
fn an_error() {
    fails(3, &["error"], &["rank 2: the program's own error"]);
}

#[test]
fn a_panic() {
    fails(3, &["panic"], &["rank 2: panicked: a panic on purpose"]);
    fails(1, &["panic"], &["rank 0: panicked: a panic on purpose"]);
}

#[test]
fn a_panic_while_messages_are_under_way() {
    fails(
        3,
        &["map"],
        &["rank 2: panicked: a panic on purpose in a map"],
    );
}

#[test]
fn a_killed_rank() {
    fails(3, &["kill"], &[]);
}

#[test]
fn a_rank_that_leaves() {
    let (output, text) = run(3, &["exit"]);
    assert!(!output.status.success(), "{text}");
}

#[test]
fn a_rank_that_does_not_come() {
    // Among threads, the program can end only when the sleeping rank does.
    if under_mpi() {
        fails(3, &["sleep"], &["waited 3s for rank"]);
    }
}

#[test]
fn a_rank_that_stops_in_a_message() {
    if !under_mpi() {
        return;
    }
    fails(2, &["stall"], &["waited 3s for"]);
}

#[test]
fn a_rank_that_never_begins() {
    if !under_mpi() {
        return;
    }
    let (output, text) = run(3, &["absent"]);
    // Open MPI's launcher notices itself if the others were earlier.
    let noticed = ["waited 3s for all ranks to begin", "did not call \"init\""];
    assert!(
        !output.status.success() && noticed.iter().any(|words| text.contains(words)),
        "{text}"
    );
}

#[test]
fn ranks_whose_environments_differ() {
    if !under_mpi() {
        return;
    }
    let (begin, program) = (Instant::now(), example("fault"));
    let mut command = start(1, &["none", ":", "-n", "1"]);
    command.arg("env").arg("-u").arg("SUMAC_NUM_THREADS");
    let output = command
        .arg(&program)
        .arg("none")
        .env("SUMAC_NUM_THREADS", "1");
    let output = output.output().expect("it starts");
    assert!(output.status.success(), "{output:?}");
    assert!(begin.elapsed() < SOON);
}

#[test]
fn a_rank_that_does_something_else() {
    fails(3, &["early"], &["barrier #0"]);
    fails(3, &["disagree"], &["barrier #0"]);
    fails(
        3,
        &["unreceived"],
        &["rank 0: has not received all that rank 2 sent"],
    );
    fails(
        2,
        &["type"],
        &["rank 1: expects elements of 4 bytes, but those of rank 0 have 1"],
    );
}

/// What a strict world of threads shows, MPI does with messages that are longer than it keeps.
#[test]
fn two_ranks_that_both_send_first() {
    if under_mpi() {
        fails(2, &["swap", "400000000"], &["waited 3s for rank"]);
        return;
    }
    for (strict, works) in [("0", true), ("1", false)] {
        let mut command = start(2, &["swap", "10"]);
        let output = command.env("SUMAC_MPI_STRICT", strict).output();
        let output = output.expect("it starts");
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), works, "{text}");
        let both = "rank 0 sends tag 7 to rank 1, rank 1 sends tag 7 to rank 0";
        assert_eq!(text.contains(both), !works, "{text}");
    }
}

#[test]
fn a_file_that_is_missing() {
    fails(
        3,
        &["sum", "/nowhere/numbers"],
        &["rank 0: /nowhere/numbers: No such file"],
    );
}

#[test]
fn a_file_of_another_length() {
    let file = file(1000);
    let path = file.path().to_str().expect("a plain path");
    let words = [path, "has 1000 bytes, expected 1001"];
    fails(3, &["sum", path, "1001"], &words);
    fails(
        3,
        &["sum", path, "0"],
        &[path, "has 1000 bytes, expected 0"],
    );
}

#[test]
fn a_file_that_is_truncated_meanwhile() {
    let file = file(1000);
    let path = file.path().to_str().expect("a plain path");
    fails(3, &["truncate", path], &[path, "1000"]);
}

#[test]
fn no_launcher() {
    let error = sumac_mpi::Launcher::at("/nowhere/mpiexec").expect_err("there is none");
    assert_eq!(
        error.to_string(),
        "/nowhere/mpiexec: not found; install MPICH or Open MPI, or name another launcher in MPIEXEC"
    );
}

/// What a rank says whose MPI is this library.
#[cfg(not(feature = "mpi"))]
fn said_with(library: &str) -> String {
    let mut command = Command::new(example("fault"));
    let output = command
        .arg("none")
        .env("PMI_RANK", "2")
        .env("SUMAC_MPI_LIBRARY", library)
        .env_remove("SUMAC_MPI_RANKS")
        .output()
        .expect("it starts");
    assert!(!output.status.success(), "{library}: {output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
#[cfg(not(feature = "mpi"))]
fn a_library_that_is_missing() {
    let said = said_with("/nowhere/libmpi_abi.so.1");
    let words = "/nowhere/libmpi_abi.so.1 cannot be loaded";
    assert!(said.contains(words), "{said}");
    assert!(said.contains("build with the feature `mpi`"), "{said}");
}

#[test]
#[cfg(all(not(feature = "mpi"), target_os = "linux", target_env = "gnu"))]
fn a_library_without_the_standard_abi() {
    let said = said_with("libc.so.6");
    assert!(said.contains("libc.so.6 has no standard ABI"), "{said}");
}

#[test]
#[cfg(not(feature = "mpi"))]
fn no_library_is_looked_for_without_a_launcher() {
    let mut command = Command::new(example("fault"));
    let names = [
        "PMI_RANK",
        "PMI_SIZE",
        "PMIX_RANK",
        "PMIX_SIZE",
        "PALS_RANKID",
    ];
    for name in names
        .into_iter()
        .chain(["SLURM_STEP_NUM_TASKS", "OMPI_COMM_WORLD_SIZE"])
    {
        command.env_remove(name);
    }
    let library = command.env("SUMAC_MPI_LIBRARY", "/nowhere/libmpi_abi.so.1");
    let status = library.env_remove("SUMAC_MPI_RANKS").arg("none").status();
    assert!(status.expect("it starts").success());
}

#[test]
fn launched_as_ranks_and_told_to_have_ranks() {
    let mut command = Command::new(example("fault"));
    let command = command.arg("none").env("PMI_SIZE", "3");
    let output = command.env("SUMAC_MPI_RANKS", "2").output();
    let output = output.expect("it starts");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && text.contains("but SUMAC_MPI_RANKS asks for"),
        "{text}"
    );
}
