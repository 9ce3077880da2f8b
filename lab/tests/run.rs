//! `lab run` from outside: what it measures and appends, that it goes on where it was interrupted, and that
//! contenders with faults, damaged files and bad experiments are caught.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// A folder with an experiment called `small` in it.
struct Place(TempDir);

/// One visit lasts some milliseconds.
const SHORT: &str = "samples = 3\nvisit_seconds = 0.01\nwarm_up_ms = 0\n";
/// Two rounds of two cells.
const SMALL: &str = "problem = 'tree'\nsizes = [100]\nthreads = [2]\nrounds = 2\n\
                     contenders = ['baseline', 'sumac-scope']\n";

impl Place {
    /// With one block.
    fn with(block: &str) -> Place {
        let place = Place(TempDir::new().expect("a folder for the test"));
        place.write(
            "small.toml",
            &format!("about = 'a test'\n[[cells]]\n{SHORT}{block}"),
        );
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("the file is written");
    }

    fn command(&self, arguments: &str) -> Command {
        let mut lab = Command::new(env!("CARGO_BIN_EXE_lab"));
        lab.arg("run")
            .args(arguments.split_whitespace())
            .current_dir(&self.0)
            .env("LAB_PLANTED", "1")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        lab
    }

    fn run(&self, arguments: &str) -> Done {
        let output = self.command(arguments).output().expect("the lab starts");
        Done::from(output)
    }

    /// The result file's lines.
    fn lines(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("out.jsonl")).unwrap_or_default();
        assert!(text.is_empty() || text.ends_with('\n'), "the file is whole");
        let lines = text.lines();
        lines
            .map(|line| serde_json::from_str(line).expect("a line is JSON"))
            .collect()
    }
}

const RUN: &str = "small.toml --out out.jsonl";

/// A command that has ended.
struct Done {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl From<Output> for Done {
    fn from(output: Output) -> Done {
        let text = |bytes| String::from_utf8(bytes).expect("what is printed is text");
        Done {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Done {
    #[track_caller]
    fn ended(self, code: i32) -> Done {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("panicked at lab"), "{}", self.stderr);
        self
    }

    #[track_caller]
    fn says(self, what: &str) -> Done {
        let all = format!("{}{}", self.stdout, self.stderr);
        assert!(all.contains(what), "no {what:?} in {all}");
        self
    }
}

/// The cells and rounds of lines, as `contender round`.
fn visits(lines: &[Value]) -> Vec<String> {
    let visit = |line: &Value| {
        let contender = line["cell"]["contender"].as_str().expect("a name");
        format!("{contender} {}", line["round"])
    };
    lines.iter().map(visit).collect()
}

#[test]
fn a_line_has_all_that_is_needed_to_judge_it() {
    let place = Place::with(SMALL);
    place
        .run(RUN)
        .ended(0)
        .says("small: 4 visits measured: out.jsonl");
    let lines = place.lines();
    assert_eq!(
        visits(&lines),
        ["baseline 0", "sumac-scope 0", "sumac-scope 1", "baseline 1"]
    );
    for line in &lines {
        assert_eq!(line["experiment"], "small");
        assert_eq!(line["cell"]["problem"], "tree");
        assert_eq!(line["command"][1], "small.toml");
        assert!(line["ended_at"].as_u64() > Some(1_700_000_000));
        assert!(line["machine"]["cores"].as_u64() >= Some(1));
        let version = line["machine"]["versions"]["sumac"]
            .as_str()
            .expect("a version");
        assert!(
            version.starts_with(|c: char| c.is_ascii_digit()),
            "{version}"
        );
        let measured = &line["outcome"]["measured"];
        assert_eq!(
            (&measured["pieces"], &measured["answer"]),
            (&100.into(), &5050.into())
        );
        assert!(measured["batch"].as_u64() > Some(1));
        assert!(measured["warm_up_calls"].as_u64() > Some(0));
        let samples = measured["samples"].as_array().expect("samples");
        assert_eq!(samples.len(), 3);
        let sum: f64 = samples.iter().filter_map(Value::as_f64).sum();
        let calls = measured["batch"].as_f64().expect("a number");
        let wall = measured["spent"]["wall"].as_f64().expect("a time");
        assert!(wall >= sum * calls * 0.99, "{measured}");
        let counted = line["cell"]["contender"] == "sumac-scope";
        assert_eq!(measured["scheduler"]["ticks"].is_u64(), counted);
        let events = &measured["events"];
        assert_ne!(
            events["missing"].is_string(),
            events["cycles"].is_u64(),
            "{events}"
        );
    }
}

#[test]
fn no_visit_is_made_twice() {
    let place = Place::with(SMALL);
    place.run(&format!("{RUN} --rounds 1")).ended(0);
    let first = fs::read(place.path("out.jsonl")).expect("the file is there");
    place
        .run(RUN)
        .ended(0)
        .says("small: 2 visits measured, 2 were there already");
    let all = fs::read(place.path("out.jsonl")).expect("the file is there");
    assert!(all.starts_with(&first), "only appended to");
    assert_eq!(visits(&place.lines())[2..], ["sumac-scope 1", "baseline 1"]);
    place
        .run(RUN)
        .ended(0)
        .says("0 visits measured, 4 were there already");
    assert_eq!(
        fs::read(place.path("out.jsonl")).expect("the file is there"),
        all
    );
}

#[test]
fn beginning_anew_destroys_nothing() {
    let place = Place::with(SMALL);
    for _ in 0..3 {
        place
            .run(&format!("{RUN} --rounds 1 --restart"))
            .ended(0)
            .says("2 visits measured:");
    }
    for name in ["out.jsonl", "out.jsonl.old1", "out.jsonl.old2"] {
        let text = fs::read_to_string(place.path(name)).expect("the file is there");
        assert_eq!(text.lines().count(), 2, "{name}");
    }
}

#[test]
fn a_half_written_line_is_dropped_and_nothing_else() {
    let place = Place::with(SMALL);
    place.run(RUN).ended(0);
    let whole = fs::read(place.path("out.jsonl")).expect("the file is there");
    fs::write(place.path("out.jsonl"), &whole[..whole.len() - 30]).expect("it is cut");
    place
        .run(RUN)
        .ended(0)
        .says("line 4 is half-written and was dropped")
        .says("1 visits measured, 3 were there already");
    assert_eq!(visits(&place.lines())[3], "baseline 1");
}

#[test]
fn damage_in_the_middle_is_an_error_that_destroys_nothing() {
    let place = Place::with(SMALL);
    place.run(RUN).ended(0);
    let text = fs::read_to_string(place.path("out.jsonl")).expect("the file is there");
    let damaged = text.replacen("\"round\":0", "\"round\":", 1);
    place.write("out.jsonl", &damaged);
    place
        .run(RUN)
        .ended(1)
        .says("out.jsonl: line 1 is not a result");
    assert_eq!(
        fs::read_to_string(place.path("out.jsonl")).expect("it is there"),
        damaged
    );
}

#[test]
fn another_build_does_not_go_on() {
    let place = Place::with(SMALL);
    place.run(RUN).ended(0);
    let text = fs::read_to_string(place.path("out.jsonl")).expect("the file is there");
    let other = text.replace("\"sumac\":\"", "\"sumac\":\"9.");
    place.write("out.jsonl", &other);
    place
        .run(RUN)
        .ended(2)
        .says("another build or machine")
        .says("--restart");
    assert_eq!(
        fs::read_to_string(place.path("out.jsonl")).expect("it is there"),
        other
    );
}

/// A planted contender beside a good one.
fn planted(fault: &str) -> Place {
    Place::with(&format!(
        "problem = 'tree'\nsizes = [100]\nthreads = [1]\nrounds = 2\ntuning = ['{fault}']\n\
         contenders = ['planted', 'baseline']\ntimeout_seconds = 2.0\n"
    ))
}

/// Runs it: the fault is told and recorded, once, and the good contender's rounds are complete.
fn caught(place: &Place, kind: &str, says: &str) {
    let done = place
        .run(RUN)
        .ended(1)
        .says("FAILED: small: tree 100 planted");
    let done = done.says(says).says("1 of the cells failed");
    assert!(
        done.stdout.contains("2 visits measured, 1 cells FAILED"),
        "{}",
        done.stdout
    );
    let lines = place.lines();
    assert_eq!(visits(&lines), ["planted 0", "baseline 0", "baseline 1"]);
    assert_eq!(lines[0]["outcome"]["failed"]["kind"], kind);
    let message = lines[0]["outcome"]["failed"]["message"].as_str();
    assert!(
        message.is_some_and(|message| message.contains(says)),
        "{message:?}"
    );
    assert!(lines[1]["outcome"]["measured"].is_object());
    // Later runs try it again.
    place
        .run(RUN)
        .ended(1)
        .says("0 visits measured, 2 were there already, 1 cells FAILED");
    assert_eq!(visits(&place.lines())[3..], ["planted 0"]);
}

#[test]
fn wrong_answers_are_caught() {
    caught(
        &planted("wrong"),
        "wrong_answer",
        "planted on 1 threads returned 5051 instead of 5050",
    );
}

#[test]
fn crashes_are_caught() {
    caught(&planted("crash"), "crash", "signal: 6");
}

#[test]
fn pools_that_cannot_be_had_are_crashes_with_a_reason() {
    caught(&planted("burn"), "crash", "there is no fault called burn");
}

#[test]
fn visits_that_do_not_end_are_ended() {
    let begun = Instant::now();
    caught(&planted("hang"), "time_out", "no result after 2 s");
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_slow_contender_is_slow() {
    let place = planted("slow");
    place.run(RUN).ended(0);
    let lines = place.lines();
    let least = |who: &str| {
        let lines = lines.iter().filter(|line| line["cell"]["contender"] == who);
        let samples = lines.flat_map(|line| line["outcome"]["measured"]["samples"].as_array());
        let times = samples.flatten().filter_map(Value::as_f64);
        times.fold(f64::INFINITY, f64::min)
    };
    assert!(least("planted") > 2e6 && least("planted") > 2.0 * least("baseline"));
}

#[test]
fn planted_contenders_are_for_tests_alone() {
    let place = planted("slow");
    let done = place.command(RUN).env_remove("LAB_PLANTED").output();
    let done = Done::from(done.expect("the lab starts"));
    done.ended(2)
        .says("small.toml: cells, block 1: tree: no contender is called planted");
}

#[test]
fn what_makes_no_sense_is_refused_with_the_files_name() {
    for (block, why) in [
        ("problem = 'tetris'", "no problem is called tetris"),
        (
            "problem = 'tree'\nthreads = [0]",
            "between 1 and 1024, not 0",
        ),
        ("problem = 'tree'\nsizes = [900000000000]", "MiB"),
        (
            "problem = 'tree'\nsizes = [9000000000000000]",
            "a size is between",
        ),
        (
            "problem = 'tree'\ncontenders = ['tbb']",
            "no contender is called tbb",
        ),
        ("problem = 'tree'\nspeed = 3", "unknown field `speed`"),
        ("problem = ", "TOML parse error at line"),
    ] {
        let place = Place::with(block);
        place.run(RUN).ended(2).says("lab: small.toml: ").says(why);
        assert!(!place.path("out.jsonl").exists());
    }
    let place = Place::with(SMALL);
    place
        .run("absent.toml")
        .ended(2)
        .says("cannot read absent.toml");
    place.run("absent").ended(2).says("no folder experiments");
    place.run("").ended(2).says("EXPERIMENT");
    place.run("small.toml --rounds 0").ended(2).says("--rounds");
    place
        .run("small.toml --only nonsense")
        .ended(2)
        .says("no cell's description");
}

#[test]
fn experiments_have_names_and_results_have_a_place() {
    let place = Place::with(SMALL);
    fs::create_dir_all(place.path("experiments/deep")).expect("a folder");
    fs::rename(
        place.path("small.toml"),
        place.path("experiments/small.toml"),
    )
    .expect("it moves");
    place
        .run("tiny")
        .ended(2)
        .says("no experiment is called tiny; there are small");
    place.run("small --only baseline --rounds 1").ended(0);
    let text = fs::read_to_string(place.path("results/small.jsonl")).expect("a result file");
    assert_eq!(text.lines().count(), 1);
    for _ in 0..2 {
        // From a folder below, and made anew each time.
        let mut lab = place.command("small --quick --rounds 1");
        let done = lab.current_dir(place.path("experiments/deep")).output();
        Done::from(done.expect("the lab starts"))
            .ended(0)
            .says("2 visits measured:");
    }
    let quick = place.path("target/lab/small.quick.jsonl");
    let text = fs::read_to_string(quick).expect("a result file");
    assert_eq!(text.lines().count(), 2);
}

/// Waits for it to be true.
fn until(what: &str, mut ready: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !ready() {
        assert!(begun.elapsed() < Duration::from_secs(60), "never {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// The processes that this one has started, by `/proc`.
#[cfg(target_os = "linux")]
fn children(parent: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").expect("there is /proc").flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_child = |id: &u32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let fields = stat.rsplit_once(')').map(|(_, fields)| fields.to_string());
        fields.is_some_and(|fields| {
            let mut words = fields.split_whitespace();
            words.next() != Some("Z") && words.next() == Some(&parent.to_string())
        })
    };
    ids.filter(is_child).collect()
}

/// Starts one whose second visit hangs, and waits until it does.
#[cfg(target_os = "linux")]
fn hanging() -> (Place, Child) {
    let place = Place::with(
        "problem = 'tree'\nsizes = [100]\nthreads = [1]\nrounds = 1\ntuning = ['hang']\n\
         contenders = ['baseline', 'planted']\n",
    );
    let lab = place.command(RUN).spawn().expect("the lab starts");
    until("the first visit is written", || {
        let text = fs::read_to_string(place.path("out.jsonl")).unwrap_or_default();
        text.ends_with('\n')
    });
    until("the second visit begins", || !children(lab.id()).is_empty());
    (place, lab)
}

#[cfg(target_os = "linux")]
fn kill(signal: &str, process: u32) {
    let mut kill = Command::new("kill");
    kill.args([signal, &process.to_string()]);
    assert!(kill.status().expect("kill starts").success());
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_the_visit_too_and_the_file_stays_whole() {
    let (place, lab) = hanging();
    let visit = children(lab.id())[0];
    kill("-INT", lab.id());
    let output = lab.wait_with_output().expect("the lab ends");
    Done::from(output).ended(130);
    until("the visit ends", || {
        !Path::new(&format!("/proc/{visit}")).exists()
    });
    assert_eq!(visits(&place.lines()), ["baseline 0"]);
    // And goes on.
    place
        .run(&format!("{RUN} --only baseline"))
        .ended(0)
        .says("1 were there already");
}

#[cfg(target_os = "linux")]
#[test]
fn two_runs_do_not_write_to_one_file() {
    let (place, lab) = hanging();
    place.run(RUN).ended(1).says("another run is writing to it");
    kill("-INT", lab.id());
    Done::from(lab.wait_with_output().expect("the lab ends")).ended(130);
    assert_eq!(visits(&place.lines()), ["baseline 0"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_interrupts_the_visit_first_and_that_is_no_crash() {
    let (place, lab) = hanging();
    kill("-INT", children(lab.id())[0]);
    let output = lab.wait_with_output().expect("the lab ends");
    Done::from(output).ended(130);
    assert_eq!(visits(&place.lines()), ["baseline 0"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_visit_does_not_outlive_a_killed_parent() {
    let (_place, mut lab) = hanging();
    let visit = children(lab.id())[0];
    lab.kill().expect("it is killed");
    lab.wait().expect("the lab ends");
    until("the visit ends", || {
        let stat = fs::read_to_string(format!("/proc/{visit}/stat")).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ")
    });
}

#[test]
fn nonsense_on_stdin_is_no_task() {
    let mut cell = Command::new(env!("CARGO_BIN_EXE_lab"))
        .arg("cell")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the lab starts");
    let mut stdin = cell.stdin.take().expect("stdin is piped");
    stdin.write_all(b"{}").expect("it is read");
    drop(stdin);
    let output = cell.wait_with_output().expect("it ends");
    Done::from(output).ended(2).says("not a task");
}

#[test]
fn every_experiment_of_the_repository_runs_quickly() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let place = Place::with(SMALL);
    let begun = Instant::now();
    for entry in fs::read_dir(root.join("experiments")).expect("there are experiments") {
        let path = entry.expect("a file").path();
        let out = place.path("out.jsonl");
        let mut lab = place.command("--quick --out");
        let done = lab.arg(&out).arg(&path).output().expect("the lab starts");
        Done::from(done).ended(0).says(" visits measured");
    }
    assert!(
        begun.elapsed() < Duration::from_secs(120),
        "{:?}",
        begun.elapsed()
    );
}
