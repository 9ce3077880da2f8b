//! Planted contenders: wrong, slow, crashing, hanging ones are caught.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::place::{Done, Place, RUN, visits};

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
    let done = done.says(says).says("1 cell failed");
    assert!(
        done.stdout.contains("2 visits measured, 1 cell FAILED"),
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
        .says("0 visits measured, 2 were there already, 1 cell FAILED");
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
