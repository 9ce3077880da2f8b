//! Programs that share the tokens of a jobserver.

#![cfg(unix)]

use ::jobserver::Client;
use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{self, Command},
    sync::{Arc, Barrier},
    thread,
    time::Duration,
};
use sumac::{Jobserver, Permits, ThreadPool, ThreadPoolBuilder};
use sumac_test_support::{
    LONG, child, child_argument, held, run, run_well, spin, wait_until, within, work,
};

/// Places for so many threads of all programs that are at work, as files in a directory.
struct Places {
    dir: PathBuf,
    count: usize,
}

impl Places {
    /// A thread that finds no place is one too many.
    fn during(&self, work: impl FnOnce()) {
        let mut places = (0..self.count).map(|place| self.dir.join(place.to_string()));
        let place = places.find(|place| fs::File::create_new(place).is_ok());
        let place = place.expect("more threads are at work than there are tokens");
        work();
        fs::remove_file(place).expect("it is ours");
    }
}

/// A new directory, which is removed when this is dropped.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Dir {
        let dir = env::temp_dir().join(format!("sumac-{name}-{}", process::id()));
        fs::create_dir(&dir).expect("a new directory");
        Dir(dir)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("a path that is text")
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn tree(depth: u32, leaf: &(impl Fn() + Sync)) {
    if depth == 0 {
        return leaf();
    }
    sumac::join(|| tree(depth - 1, leaf), || tree(depth - 1, leaf));
}

fn pool_from_env() -> ThreadPool {
    let jobserver = Jobserver::from_env().expect("a jobserver");
    let builder = ThreadPoolBuilder::new().num_threads(4);
    builder.permits(jobserver).build().expect("a pool")
}

/// Two tokens for four programs of four threads.
#[test]
fn programs_share_tokens() {
    const NAME: &str = "programs_share_tokens";
    if let Some(dir) = child_argument(NAME) {
        let pool = pool_from_env();
        let places = Places {
            dir: dir.into(),
            count: 2,
        };
        let caller = thread::current().id();
        let leaf = || {
            if thread::current().id() == caller {
                work();
            } else {
                places.during(work);
            }
        };
        for _ in 0..10 {
            pool.install(|| tree(9, &leaf));
        }
        println!("helped by {} steals", pool.stats().steals);
        return;
    }
    let client = Client::new(2).expect("a jobserver");
    let dir = Dir::new("share");
    let run = || {
        let mut command = child(NAME, dir.path());
        client.configure(&mut command);
        run_well(command, LONG)
    };
    let helped = || {
        let said: Vec<String> = thread::scope(|threads| {
            let programs: Vec<_> = (0..4).map(|_| threads.spawn(run)).collect();
            let ends = programs.into_iter().map(|program| program.join());
            ends.map(|said| said.expect("no panic")).collect()
        });
        assert_eq!(client.available().expect("a number"), 2);
        said.iter().any(|said| !said.contains("helped by 0 steals"))
    };
    assert!((0..20).any(|_| helped()), "no worker has ever had a token");
}

/// The pool is not dropped, and two of its workers are at work.
#[test]
fn a_program_that_ends_gives_all_back() {
    const NAME: &str = "a_program_that_ends_gives_all_back";
    if let Some(how) = child_argument(NAME) {
        let pool = Box::leak(Box::new(pool_from_env()));
        let tasks = [held(pool), held(pool)];
        let jobserver = Jobserver::from_env().expect("the same");
        assert!(!jobserver.try_take(), "both tokens are taken");
        std::mem::forget(tasks);
        match &*how {
            "return" => return,
            _ => process::exit(0),
        }
    }
    for how in ["return", "exit"] {
        let client = Client::new(2).expect("a jobserver");
        let mut command = child(NAME, how);
        client.configure(&mut command);
        run_well(command, LONG);
        assert_eq!(client.available().expect("a number"), 2, "{how}");
    }
}

/// Pipes that cannot be asked without waiting: a thread waits for a token.
#[test]
fn a_client_of_its_own_works() {
    within(LONG, "a client", || {
        let client = Client::new(1).expect("a jobserver");
        let builder = ThreadPoolBuilder::new().num_threads(3);
        let builder = builder.permits(Jobserver::new(client.clone()));
        let pool = builder.build().expect("a pool");
        let is_free = || client.available().expect("a number") == 1;
        assert!(wait_until(LONG, || {
            pool.install(|| tree(9, &work));
            pool.stats().steals > 0
        }));
        assert!(wait_until(LONG, is_free), "it is kept");
        let only = client.acquire().expect("the token");
        let steals = pool.stats().steals;
        (0..20).for_each(|_| pool.install(|| tree(7, &work)));
        assert_eq!(pool.stats().steals, steals, "work without a token");
        drop(only);
        pool.wait_until_stopped();
        assert!(wait_until(LONG, is_free), "it is lost");
    });
}

#[test]
fn what_is_wrong_is_said() {
    const NAME: &str = "what_is_wrong_is_said";
    if let Some(kind) = child_argument(NAME) {
        let error = Jobserver::from_env().expect_err("there is none");
        let is_none = error.kind() == io::ErrorKind::NotFound;
        assert_eq!(is_none, kind == "none", "{error}");
        return;
    }
    let without = |kind| {
        let mut command = child(NAME, kind);
        for name in ["CARGO_MAKEFLAGS", "MAKEFLAGS", "MFLAGS"] {
            command.env_remove(name);
        }
        command
    };
    run_well(without("none"), LONG);
    let mut flags_only = without("none");
    flags_only.env("MAKEFLAGS", "-j");
    run_well(flags_only, LONG);
    // What programs see if the recipe's line does not begin with a plus.
    let mut closed = without("closed");
    closed.env("MAKEFLAGS", "-j --jobserver-auth=98,99");
    run_well(closed, LONG);
}

/// Runs `make -jJOBS`, if there is a make, on so many programs, which are this one with `test`.
/// Returns what they print.
fn make(test: &str, jobs: usize, programs: usize, dir: &Path) -> Option<String> {
    if env::var_os("SUMAC_TEST_EMULATOR").is_some() {
        return None;
    }
    let names: Vec<String> = (0..programs).map(|i| format!("program{i}")).collect();
    let names = names.join(" ");
    let makefile = format!(
        "all: {names}\n.PHONY: all {names}\n{names}:\n\t+@\"$(PROGRAM)\" {test} --exact --nocapture\n"
    );
    fs::write(dir.join("Makefile"), makefile).expect("a file");
    let mut command = Command::new("make");
    for name in ["CARGO_MAKEFLAGS", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"] {
        command.env_remove(name);
    }
    command
        .arg(format!("-j{jobs}"))
        .arg("-C")
        .arg(dir)
        .env("PROGRAM", env::current_exe().expect("this program"))
        .env("SUMAC_TEST_CHILD", format!("{test}={}", dir.display()));
    let mut version = Command::new("make");
    if !version
        .arg("--version")
        .output()
        .is_ok_and(|made| String::from_utf8_lossy(&made.stdout).starts_with("GNU Make"))
    {
        eprintln!("SKIPPED: there is no GNU make");
        return None;
    }
    let ended = run(command, LONG);
    assert!(ended.status.success(), "{}", ended.output);
    // Make counts its tokens at its end.
    assert!(!ended.output.contains("INTERNAL"), "{}", ended.output);
    Some(ended.output)
}

/// All threads of all programs have a place, also those that make has started.
#[test]
fn eight_programs_under_make_use_two_threads() {
    const NAME: &str = "eight_programs_under_make_use_two_threads";
    if let Some(dir) = child_argument(NAME) {
        let pool = pool_from_env();
        let places = Places {
            dir: dir.into(),
            count: 2,
        };
        let leaf = || places.during(|| spin(Duration::from_micros(200)));
        pool.install(|| tree(7, &leaf));
        return;
    }
    let dir = Dir::new("two");
    make(NAME, 2, 8, &dir.0);
}

/// A program that is alone has all tokens.
#[test]
fn one_program_under_make_uses_all_threads() {
    const NAME: &str = "one_program_under_make_uses_all_threads";
    if child_argument(NAME).is_some() {
        let pool = pool_from_env();
        let all = Arc::new(Barrier::new(3));
        // Two workers, and the reserve on this thread's right.
        let tasks: Vec<_> = (0..3)
            .map(|_| {
                let all = Arc::clone(&all);
                pool.spawn(move || all.wait())
            })
            .collect();
        while !tasks.iter().all(|task| task.is_finished()) {
            thread::sleep(Duration::from_millis(1));
        }
        return;
    }
    let dir = Dir::new("all");
    make(NAME, 3, 1, &dir.0);
}
