//! What must hold of every simulation.

use ::sumac::policy::Policy;

use super::*;
use dag::units;

fn setup(who: Who, workers: usize) -> Setup {
    Setup {
        who,
        workers,
        policy: Policy::DEFAULT,
        order: Order::Oldest,
        start: Start::Hot,
        costs: Costs::default(),
        machine: Machine::default(),
        seed: 3,
    }
}

const ALL: [Who; 3] = [Who::Sumac, Who::Spice, Who::Rayon];

fn dags() -> Vec<Dag> {
    let mut dags = vec![
        Dag::new(Node::Strand(units(5.0)), 0.0),
        Dag::new(Node::Tree(1), 4.0),
        Dag::new(Node::Tree(1000), 4.0),
        Dag::new(Node::Tree(200_000), 4.0),
        Dag::new(Node::Fib(25), 2.0),
    ];
    for side in [Side::Left, Side::Right] {
        dags.push(Dag {
            side,
            hanging: 1000,
            ..Dag::new(Node::Spine(300), 4.0)
        });
        dags.push(Dag::leaves(64, 20e3, Split::Halves, 16, side));
    }
    for split in [Split::Random, Split::LeafRest, Split::RestLeaf] {
        dags.push(Dag::leaves(200, 20e3, split, 0, Side::Left));
    }
    let json = r#"{"series": [{"strand": 1000}, {"parallel": [{"series": [{"parallel": [{"strand": 90000},
        {"strand": 50000}]}, {"strand": 7}]}, {"strand": 80000}]}, {"strand": 10}]}"#;
    let (recorded, root) = Recorded::read(json).unwrap();
    dags.push(Dag {
        recorded,
        ..Dag::new(root, 0.0)
    });
    dags
}

#[test]
fn one_worker_takes_work_and_joins_and_nothing_else() {
    for dag in dags() {
        for who in [Who::Sumac, Who::Rayon] {
            let setup = setup(who, 1);
            let time = setup.simulate(&dag).unwrap().time;
            let expected = dag.time(dag.root, units(setup.join_cost())).div_ceil(UNIT);
            let overhead = time - expected.min(time);
            assert!(
                time >= expected && overhead <= expected / 100 + 2000,
                "{who:?} {:?}",
                dag.root
            );
        }
    }
}

/// Ends, conserves time, is not faster than work and span allow nor slower than greedy by much, and
/// is the same again.
#[test]
fn every_simulation_keeps_the_laws() {
    for dag in dags() {
        for who in ALL {
            for order in [Order::Oldest, Order::Newest] {
                for start in [Start::Hot, Start::Cold] {
                    for workers in [1, 2, 3, 20] {
                        let setup = Setup {
                            order,
                            start,
                            ..setup(who, workers)
                        };
                        keeps_the_laws(&dag, &setup);
                    }
                }
            }
        }
    }
}

fn keeps_the_laws(dag: &Dag, setup: &Setup) {
    let what = format!("{:?} {:?} {setup:?}", dag.root, dag.split);
    let outcome = setup
        .simulate(dag)
        .unwrap_or_else(|why| panic!("{what}: {why}"));
    assert_eq!(outcome, setup.simulate(dag).unwrap(), "{what}");
    let all: u64 = outcome.spent.iter().sum();
    assert_eq!(all, outcome.time * setup.workers as u64, "{what}");
    let join = units(setup.join_cost());
    let work = dag.time(dag.root, join) / UNIT;
    let p = setup.workers as u64;
    assert!(outcome.time >= dag.span(0) / UNIT, "{what}");
    assert!(outcome.time + 1 >= work / p, "{what}");
    // Work is done once; rayon's workers are held up meanwhile.
    if setup.who != Who::Rayon {
        let pieces = outcome.counts.steals + outcome.counts.ticks + 2;
        let worked = outcome.spent[0];
        assert!(
            worked.abs_diff(work) <= 60 * pieces + work / 1000,
            "{what}: {worked}, {work}"
        );
    }
    assert!(outcome.counts.steals <= outcome.counts.promotions, "{what}");
}

/// Greedy's bound, with 200 µs for each of the span's levels of a tree where steals cost.
#[test]
fn sumac_is_greedy_up_to_its_costs() {
    let dag = Dag::new(Node::Tree(10_000_000), 4.0);
    for workers in [2, 4, 8, 16, 32, 64] {
        let outcome = setup(Who::Sumac, workers).simulate(&dag).unwrap();
        let work = dag.time(dag.root, units(1.0)) / UNIT;
        let bound = work / workers as u64 + 100_000 + work / 20 / workers as u64;
        assert!(
            outcome.time <= bound,
            "{workers}: {} > {bound}",
            outcome.time
        );
    }
}

#[test]
fn policies_agree_where_there_is_nothing_to_share() {
    let dag = Dag::new(Node::Strand(units(1e6)), 0.0);
    for who in ALL {
        for workers in [1, 16] {
            assert_eq!(
                setup(who, workers).simulate(&dag).unwrap().time,
                1_000_000,
                "{who:?}"
            );
        }
    }
}

#[test]
fn two_long_halves_take_the_time_of_one() {
    let dag = Dag::leaves(2, 10e6, Split::Halves, 0, Side::Left);
    for who in ALL {
        let time = setup(who, 2).simulate(&dag).unwrap().time;
        // A heartbeat comes once in a call of this kind, before the only join, or not at all.
        let most = if who == Who::Spice {
            20_100_000
        } else {
            10_200_000
        };
        assert!(time <= most, "{who:?}: {time}");
    }
}

#[test]
fn a_cold_pool_wakes_up() {
    let dag = Dag::new(Node::Tree(10_000_000), 4.0);
    for workers in [2, 16] {
        let cold = Setup {
            start: Start::Cold,
            ..setup(Who::Sumac, workers)
        };
        let outcome = cold.simulate(&dag).unwrap();
        let work = dag.time(dag.root, units(1.0)) / UNIT;
        assert!(
            outcome.time < work / workers as u64 * 3 / 2,
            "{workers}: {outcome:?}"
        );
    }
}

#[test]
fn bandwidth_limits_everybody() {
    let dag = Dag::new(Node::Tree(10_000_000), 4.0);
    for who in ALL {
        let capped = Setup {
            machine: Machine {
                bandwidth: Some(4.0),
                ..Machine::default()
            },
            ..setup(who, 16)
        };
        let time = capped.simulate(&dag).unwrap().time;
        let least = dag.time(dag.root, units(capped.join_cost())) / UNIT / 4;
        assert!(time >= least, "{who:?}");
    }
}

/// Extreme choices make a pool slow, not wrong or stuck.
#[test]
fn whatever_the_choices_the_simulation_ends() {
    let dag = Dag::new(Node::Tree(100_000), 4.0);
    for text in [
        "interval=0",
        "interval=18446744073709551615",
        "spin=0,nap=0,spin_tiny=0",
        "slots=1,credit=0",
        "wait_spin=0,wait_yield=0,wait_nap_min=0",
        "dormant_after=0,spin=0",
        "tiny=1000000,long=1000000",
    ] {
        let tuning: ::sumac::Tuning = text.parse().unwrap();
        for workers in [1, 2, 16] {
            let setup = Setup {
                policy: tuning.policy(),
                ..setup(Who::Sumac, workers)
            };
            keeps_the_laws(&dag, &setup);
        }
    }
}
