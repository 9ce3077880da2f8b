//! Random programs of all operations that sumac has, one after another, each on pools whose callers
//! take part, on pools whose callers wait, and on both; those of operations that rayon has first on
//! rayon, so that what ends there ends here. Each must come to what it comes to sequentially.
//!
//!     sumac-programs --seconds 20                    programs from seed 1 on
//!     sumac-programs --seed 7 --programs 1           that of seed 7
//!         --on rayon,take-part,wait,mixed            on these only
//!         --without Broadcast,Chain                  without these operations
//!         --repeat 2                                 each so many times
//!         --patience 20                              hangs if nothing begins for so many seconds
//!         --drop 3,4                                 without the operations of these numbers
//!         --shrink                                   finds what to drop of one that hangs
//!
//! Ends with status 0; 1 if a program comes to something else; 3 if one hangs, with the program and
//! what each thread is inside of.

#![forbid(unsafe_code)]

mod program;
mod run;
mod runtimes;
mod sumac_only;
mod watch;

use crate::{
    program::Program,
    run::{Callers, run},
    runtimes::{Rayon, Sumac},
};
use std::{
    collections::HashMap,
    env,
    process::{self, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

const MODES: [&str; 4] = ["rayon", "take-part", "wait", "mixed"];

struct Options(HashMap<String, String>);

impl Options {
    fn parse() -> Option<Options> {
        let mut options = HashMap::new();
        let mut words = env::args().skip(1);
        while let Some(word) = words.next() {
            let name = word.strip_prefix("--")?.to_owned();
            let has_value = name != "shrink";
            let value = if has_value {
                words.next()?
            } else {
                name.clone()
            };
            options.insert(name, value);
        }
        Some(Options(options))
    }

    fn number(&self, name: &str, default: u64) -> u64 {
        let value = self.0.get(name);
        value.map_or(default, |value| value.parse().unwrap_or_else(|_| usage()))
    }

    fn list(&self, name: &str) -> Vec<String> {
        let list = self.0.get(name);
        let list = list.map(|list| list.split(',').map(str::to_owned));
        list.map(Iterator::collect).unwrap_or_default()
    }
}

fn usage() -> ! {
    eprintln!("usage: sumac-programs [--OPTION VALUE]... (the source says which)");
    process::exit(2)
}

fn main() {
    let options = Options::parse().unwrap_or_else(|| usage());
    if options.0.contains_key("shrink") {
        return shrink(&options);
    }
    let (without, mut modes) = (options.list("without"), options.list("on"));
    if modes.is_empty() {
        modes = MODES.map(str::to_owned).to_vec();
    }
    let dropped = options.list("drop").into_iter().map(|id| id.parse());
    let dropped: Vec<usize> = dropped
        .collect::<Result<_, _>>()
        .unwrap_or_else(|_| usage());
    let (first, repeat) = (options.number("seed", 1), options.number("repeat", 2));
    let limit = Duration::from_secs(options.number("seconds", u64::MAX));
    let seeds = first..first.saturating_add(options.number("programs", u64::MAX));
    watch::start(Duration::from_secs(options.number("patience", 20)));
    let (begin, mut programs, mut runs) = (Instant::now(), 0, 0);
    for seed in seeds.take_while(|_| begin.elapsed() < limit) {
        let program = Arc::new(Program::new(seed, &without, &dropped));
        programs += 1;
        for mode in &modes {
            if mode == "rayon" && !program.for_rayon {
                continue;
            }
            for _ in 0..repeat {
                watch::begin(format!("seed {seed} on {mode}\n{program}"));
                let wrong = match &**mode {
                    "take-part" => run::<Sumac>(&program, Callers::TakePart),
                    "wait" => run::<Sumac>(&program, Callers::Wait),
                    "mixed" => run::<Sumac>(&program, Callers::Mixed),
                    "rayon" => run::<Rayon>(&program, Callers::Wait),
                    _ => usage(),
                };
                runs += 1;
                if !wrong.is_empty() {
                    println!("WRONG: seed {seed} on {mode}: {wrong:?}\n{program}");
                    process::exit(1);
                }
            }
        }
    }
    let time = begin.elapsed().as_secs_f64();
    println!("{programs} programs, {runs} runs, {time:.0} s");
}

/// Drops what can be dropped of a program that hangs, so that it still does.
fn shrink(options: &Options) {
    let (seed, without) = (options.number("seed", 1), options.list("without"));
    let hangs = |dropped: &[usize]| {
        let ids: Vec<_> = dropped.iter().map(usize::to_string).collect();
        let mut command = Command::new(env::current_exe().expect("this program"));
        command.args(["--programs", "1", "--repeat", "1000"]);
        for (name, value) in &options.0 {
            if ["seed", "on", "without"].contains(&&**name) {
                command.args([format!("--{name}"), value.clone()]);
            }
        }
        if !ids.is_empty() {
            command.args(["--drop", &ids.join(",")]);
        }
        command.args(["--patience", "3"]).stdout(Stdio::null());
        command.status().expect("a child").code() == Some(watch::HANGS)
    };
    if !hangs(&[]) {
        println!("seed {seed} does not hang in a thousand runs");
        return;
    }
    let mut dropped = Vec::new();
    for id in 0..Program::new(seed, &without, &[]).nodes.len() {
        let program = Program::new(seed, &without, &dropped);
        if program.is_reached(id) {
            dropped.push(id);
            if !hangs(&dropped) {
                dropped.pop();
            }
        }
    }
    println!(
        "seed {seed} still hangs with --drop {dropped:?}:\n{}",
        Program::new(seed, &without, &dropped)
    );
}
