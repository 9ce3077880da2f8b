//! Signals: whatever ends, the file stays whole and no process is left behind.

use std::fs;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use super::place::{Done, Place, RUN, kill, visits};

/// Waits for it to be true.
pub(crate) fn until(what: &str, mut ready: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !ready() {
        assert!(begun.elapsed() < Duration::from_secs(60), "never {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// The processes that this one has started, by `/proc`.
pub(crate) fn children(parent: u32) -> Vec<u32> {
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

pub(crate) fn is_gone(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.is_empty() || stat.contains(") Z ")
}

/// Starts one whose second visit hangs, and waits until it does.
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

#[test]
fn ctrl_c_ends_the_visit_too_and_the_file_stays_whole() {
    let (place, lab) = hanging();
    let visit = children(lab.id())[0];
    kill("-INT", lab.id());
    let output = lab.wait_with_output().expect("the lab ends");
    Done::from(output).ended(130);
    until("the visit ends", || is_gone(visit));
    assert_eq!(visits(&place.lines()), ["baseline 0"]);
    // And goes on.
    place
        .run(&format!("{RUN} --only baseline"))
        .ended(0)
        .says("1 were there already");
}

#[test]
fn two_runs_do_not_write_to_one_file() {
    let (place, lab) = hanging();
    place.run(RUN).ended(1).says("another run is writing to it");
    kill("-INT", lab.id());
    Done::from(lab.wait_with_output().expect("the lab ends")).ended(130);
    assert_eq!(visits(&place.lines()), ["baseline 0"]);
}

#[test]
fn a_terminal_interrupts_the_visit_first_and_that_is_no_crash() {
    let (place, lab) = hanging();
    kill("-INT", children(lab.id())[0]);
    let output = lab.wait_with_output().expect("the lab ends");
    Done::from(output).ended(130);
    assert_eq!(visits(&place.lines()), ["baseline 0"]);
}

#[test]
fn a_visit_does_not_outlive_a_killed_parent() {
    let (_place, mut lab) = hanging();
    let visit = children(lab.id())[0];
    lab.kill().expect("it is killed");
    lab.wait().expect("the lab ends");
    until("the visit ends", || is_gone(visit));
}
