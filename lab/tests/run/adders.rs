//! `lab adders`, on adders that are shell scripts: nothing that was measured is lost, whatever
//! happens, and no process is left behind.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::interrupted::{children, is_gone, until};
use super::place::{Done, kill};

/// Adds, and says what an adder says.
const ADDS: &str = r#"
sum=$(od -An -v -tu1 -w1 "$1" | awk '{ sum += $1 } END { printf "%d", sum }')
echo "{\"adder\":\"x\",\"sum\":$sum,\"ranks\":1,\"threads\":1,\"load_us\":1,\"cold_us\":2,\"warm_us\":[3]}"
"#;
/// Closes its output, and stays.
const STAYS: &str = "exec >&- 2>&-\nexec sleep 600\n";

/// A folder with a program called `sumac`, one for inputs, and one for results.
struct Folders(TempDir);

impl Folders {
    fn with(script: &str) -> Folders {
        let folders = Folders(TempDir::new().expect("a folder for the test"));
        fs::create_dir(folders.inputs()).expect("a folder");
        let program = folders.0.path().join("sumac");
        fs::write(&program, format!("#!/bin/sh\n{script}")).expect("the program is written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is one");
        folders
    }

    fn inputs(&self) -> PathBuf {
        self.0.path().join("inputs")
    }

    fn results(&self) -> PathBuf {
        self.0.path().join("out/adders.jsonl")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.results()).expect("results are there")
    }

    /// What measures bytes of this size.
    fn command(&self, size: u64, more: &str) -> Command {
        let mut lab = Command::new(env!("CARGO_BIN_EXE_lab"));
        let fixed = "adders single --kernel-count 1 --adders sumac --warm 1 --out out --programs .";
        lab.args(fixed.split_whitespace())
            .args(["--input-size", &size.to_string()])
            .args(more.split_whitespace())
            .current_dir(&self.0)
            .env("TMPDIR", self.inputs())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        lab
    }

    fn run(&self, size: u64, more: &str) -> Done {
        Done::from(self.command(size, more).output().expect("the lab starts"))
    }

    /// Starts one whose program does not end, and waits until it runs. The lab's own child is the
    /// program: it became it.
    fn staying(&self, timeout: &str) -> (Child, u32) {
        let lab = self.command(9, timeout).spawn().expect("the lab starts");
        let runs = |id: &u32| {
            let name = fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
            name.trim() == "sleep"
        };
        let mut program = None;
        until("the program runs", || {
            program = children(lab.id()).into_iter().find(runs);
            program.is_some()
        });
        (lab, program.expect("it was found"))
    }

    fn has_no_input(&self) -> bool {
        fs::read_dir(self.inputs()).expect("a folder").count() == 0
    }
}

#[test]
fn a_full_disk_costs_nothing_that_was_there() {
    let folders = Folders::with(ADDS);
    folders.run(7, "--rounds 3").ended(0);
    let before = folders.text();
    assert!(before.len() > 1024, "more than may be written below");
    let lab = folders.command(7, "--rounds 4");
    let mut limited = Command::new("sh");
    // No file may grow beyond 1 or 2 blocks, which is an error like that of a full disk.
    limited
        .args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\""])
        .arg(lab.get_program())
        .args(lab.get_args())
        .current_dir(&folders.0)
        .env("TMPDIR", folders.inputs());
    Done::from(limited.output().expect("sh starts"))
        .ended(1)
        .says("cannot write");
    assert_eq!(folders.text(), before);
}

#[test]
fn a_program_that_closes_its_output_and_stays_is_out_of_time() {
    let folders = Folders::with(STAYS);
    let begun = Instant::now();
    folders
        .run(9, "--rounds 1 --timeout 1")
        .ended(1)
        .says("no result after 1 s");
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_program_that_closes_its_output_and_stays_can_be_interrupted() {
    for signal in ["-INT", "-TERM"] {
        let folders = Folders::with(STAYS);
        let (mut lab, program) = folders.staying("--timeout 3000");
        // The lab has seen that the output is closed.
        std::thread::sleep(Duration::from_millis(300));
        kill(signal, lab.id());
        until("the lab ends", || {
            lab.try_wait().expect("it can be waited for").is_some()
        });
        let ended = lab.wait_with_output().expect("it has ended");
        let done = Done::from(ended).ended(130);
        assert!(!done.stderr.contains("FAILED"), "{}", done.stderr);
        until("the program ends", || is_gone(program));
        assert!(folders.has_no_input(), "{signal}");
    }
}
