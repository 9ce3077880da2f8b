//! What follows from decisions.

use super::*;

const POLICY: Policy = Policy::DEFAULT;
const INTERVAL_MIN: u64 = POLICY.interval;
const INTERVAL_MAX: u64 = 200_000;
const LONG: u64 = 2 * POLICY.tiny;

#[test]
fn tiny_computations_are_left_alone_longer_and_longer() {
    let (mut thief, mut interval) = (Thief::new(), INTERVAL_MIN);
    for epoch in 0..10 {
        let advice = thief.learn(&POLICY, 700, 0, (epoch, epoch + 1), interval);
        assert!(!advice.ask_now);
        assert!(advice.interval > interval || interval == INTERVAL_MAX);
        interval = advice.interval;
    }
    assert_eq!(interval, INTERVAL_MAX);
    assert_eq!(POLICY.spin_of(&thief), POLICY.spin_tiny);
}

#[test]
fn a_worker_looks_for_as_long_as_is_of_use() {
    let after = |spin, times: &[u64]| {
        let times = times.iter().copied();
        times.fold(spin, |spin, time| POLICY.spin_after(spin, time))
    };
    let full = POLICY.spin;
    assert_eq!(after(full, &[1_000_000; 20]), POLICY.spin_tiny);
    assert_eq!(after(full, &[5_000; 20]), full);
    // Short pauses inside of bursts, long ones between them.
    let bursts = [5_000, 1_000_000].repeat(20);
    assert!((5_000..=10_000).contains(&after(full, &bursts)));
    // One pause that a full look would have outlasted is enough.
    assert_eq!(after(POLICY.spin_tiny, &[80_000]), full);
}

#[test]
fn looks_that_gain_little_are_short() {
    let mut thief = Thief::new();
    let mut after = |idle_for, duration| {
        thief.found(&POLICY, idle_for);
        thief.learn(&POLICY, duration, 0, (1, 1), INTERVAL_MIN);
        // As before it goes dormant.
        thief.forget();
        POLICY.spin_of(&thief)
    };
    assert_eq!(
        after(80_000, 21_000),
        POLICY.spin,
        "it works a fifth of the time"
    );
    for _ in 0..5 {
        after(80_000, 15_000);
    }
    assert_eq!(after(80_000, 15_000), POLICY.spin_tiny);
    // In a pause it sleeps.
    assert_eq!(after(10_000_000, 15_000), POLICY.spin_tiny);
    assert_eq!(after(80_000, 200_000), POLICY.spin);
    assert_eq!(after(10_000_000, 15_000), POLICY.spin);
}

#[test]
fn decoys_make_a_thief_ask_for_many_at_once() {
    let mut thief = Thief::new();
    let advice = thief.learn(&POLICY, 100, 0, (7, 7), INTERVAL_MIN);
    assert!(advice.ask_now);
    assert_eq!(thief.want, POLICY.want_max());
    // Another tiny one of another computation: those were no decoys.
    assert!(!thief.learn(&POLICY, 100, 0, (8, 8), INTERVAL_MIN).ask_now);
    assert_eq!(thief.want, 1);
}

#[test]
fn trust_comes_back_after_two_long_jobs_in_a_row() {
    let mut thief = Thief::new();
    let once = thief.learn(&POLICY, LONG, 0, (1, 1), INTERVAL_MAX);
    assert_eq!(once.interval, INTERVAL_MAX, "it may have been preempted");
    let twice = thief.learn(&POLICY, LONG, 0, (1, 1), once.interval);
    assert_eq!(twice.interval, POLICY.shorter(INTERVAL_MAX));
}

#[test]
fn a_long_job_pays_for_offers_in_vain() {
    let mut thief = Thief::new();
    let long = thief.learn(&POLICY, 100 * LONG, 0, (1, 1), INTERVAL_MIN);
    assert!(u64::from(long.credit) * PROMOTION_COST <= 100 * LONG / 8);
    assert!(long.credit > 100);
    let longest = thief.learn(&POLICY, u64::MAX, 0, (1, 1), INTERVAL_MIN);
    assert_eq!(longest.credit, CREDIT_MAX);
    for after in [1, 2] {
        assert_eq!(
            thief
                .learn(&POLICY, 700, 0, (1, after), INTERVAL_MIN)
                .credit,
            0
        );
    }
}

#[test]
fn time_spent_on_promotions_does_not_make_a_job_long() {
    let mut thief = Thief::new();
    let advice = thief.learn(&POLICY, LONG, 16, (1, 2), INTERVAL_MIN);
    assert!(advice.interval > INTERVAL_MIN);
}

#[test]
fn tiny_tasks_are_left_alone_for_longer_and_longer() {
    let once = POLICY.task_rest(0, 100);
    let twice = POLICY.task_rest(once, 100);
    assert!(once > 0 && twice > once);
    assert_eq!(POLICY.task_rest(POLICY.spin, 100), POLICY.spin);
    assert_eq!(POLICY.task_rest(POLICY.spin, POLICY.tiny), 0);
}

#[test]
fn only_members_worth_it_are_asked_for_as_many_as_are_idle() {
    assert_eq!(POLICY.demand(1, (5, 1), INTERVAL_MIN), 5);
    assert_eq!(POLICY.demand(1, (500, 1), INTERVAL_MIN), POLICY.want_max());
    assert_eq!(POLICY.demand(1, (0, 1), INTERVAL_MIN), 1);
    assert_eq!(POLICY.demand(1, (5, 0), INTERVAL_MIN), 5);
    assert_eq!(POLICY.demand(1, (5, 5), INTERVAL_MIN), 1);
    assert_eq!(POLICY.demand(1, (6, 5), INTERVAL_MIN), 2);
    assert_eq!(POLICY.demand(1, (5, 1), INTERVAL_MAX), 1);
}

#[test]
fn the_leader_naps_longer_and_longer() {
    let mut nap = POLICY.leader_nap(0);
    assert_eq!(nap, POLICY.nap);
    for _ in 0..10 {
        let next = POLICY.leader_nap(nap);
        assert!(next > nap || next == POLICY.nap_max);
        nap = next;
    }
    assert_eq!(nap, POLICY.nap_max);
}

#[test]
fn naps_are_cut_for_longer_and_longer_waits_until_a_long_nap_is_not() {
    let mut wait = POLICY.short;
    for _ in 0..10 {
        let next = POLICY.cut_after(wait, POLICY.nap, true);
        assert!(next > wait || next == POLICY.nap_max);
        wait = next;
    }
    assert_eq!(POLICY.cut_after(wait, POLICY.nap, false), wait);
    let shorter = POLICY.cut_after(wait, POLICY.nap_max, false);
    assert!(shorter < wait && shorter > POLICY.short);
    let least = POLICY.cut_after(POLICY.short, POLICY.nap_max, false);
    assert_eq!(least, POLICY.short);
}

#[test]
fn no_value_makes_a_function_overflow_or_panic() {
    for n in [0, 1, u64::MAX] {
        let policy = Policy {
            interval: n,
            slots: n,
            tiny: n,
            short: n,
            spin_tiny: n,
            spin: n,
            nap: n,
            nap_max: n,
            newest_first: false,
        };
        for x in [0, 1, u64::MAX] {
            assert!((1..=SLOTS).contains(&policy.demand(1, (usize::MAX, 1), n)));
            assert!(policy.shorter(x) >= n);
            assert!(policy.longer_nap(x) <= policy.wait_nap_max());
            let _ = policy.task_rest(x, 0);
            assert!(policy.leader_nap(x) >= policy.nap);
            let advice = Thief::new().learn(&policy, x, x, (0, 1), x);
            let _ = (may_ask(x, n, advice.interval), policy.patience(x));
            let _ = (policy.wait_spin(), policy.deputy_nap_of(x == 0));
        }
    }
}
