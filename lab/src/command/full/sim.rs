//! `lab sim`: schedulers on machines that are not at hand, simulated.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use sumac::Tuning;

use crate::experiment::Failure;
use crate::file::save;
use crate::machine::Machine as Here;
use crate::sim::check::{Checked, check};
use crate::sim::figure::{Curve, draw};
use crate::sim::{
    Costs, Machine, Order, Outcome, SPENT, Scene, Setup, Start, UNIT, Who, calibrate,
};
use crate::table::{Table, grouped, ratio, time};

/// The most workers that are simulated.
const MOST_WORKERS: usize = 1024;

/// What is simulated, and how.
#[derive(Args, Clone, Debug)]
pub(crate) struct SimArgs {
    #[command(flatten)]
    scene: Scene,

    /// Numbers of workers, the caller included
    #[arg(long, value_delimiter = ',', value_parser = workers, default_value = "1,2,4,8,16,32,64,128,256,512,1024")]
    workers: Vec<usize>,

    /// Whose scheduler
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "sumac,spice,rayon"
    )]
    policy: Vec<Who>,

    /// Other choices of sumac's policy, such as interval=20000,spin=3000
    #[arg(long, default_value = "")]
    tuning: Tuning,

    /// Which joins are given away first
    #[arg(long, value_enum, default_value = "oldest")]
    order: Order,

    /// In what state pools are found
    #[arg(long, value_enum, default_value = "hot")]
    start: Start,

    #[command(flatten)]
    machine: Machine,

    /// What things cost: a JSON file of costs, as `--json` prints them
    #[arg(long, value_name = "JSON")]
    costs: Option<PathBuf>,

    /// Measure costs on this machine first
    #[arg(long)]
    calibrate: bool,

    /// Compare with real runs on this machine at one and two threads; implies --calibrate
    #[arg(long)]
    check: bool,

    /// Small problems for --check
    #[arg(long)]
    quick: bool,

    /// Write a figure
    #[arg(long, value_name = "SVG")]
    figure: Option<PathBuf>,

    /// Seed of all that is random
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// One JSON document instead of tables
    #[arg(long)]
    json: bool,
}

/// One simulation.
#[derive(Serialize)]
struct Row {
    policy: Who,
    /// Over the plain program.
    speed_up: f64,
    /// Over the same scheduler on one worker.
    over_one: f64,
    #[serde(flatten)]
    outcome: Outcome,
}

/// The JSON document.
#[derive(Serialize)]
struct Document {
    simulated: bool,
    command: Vec<String>,
    machine: Here,
    simulated_machine: Machine,
    costs: Costs,
    tuning: String,
    work: u64,
    span: u64,
    rows: Vec<Row>,
    checked: Vec<Checked>,
}

/// Simulates, and prints.
pub(crate) fn run(args: &SimArgs) -> Result<(), Failure> {
    let mut costs = match &args.costs {
        Some(path) => Costs::read(path).map_err(Failure::Usage)?,
        None => Costs::default(),
    };
    if args.calibrate || args.check {
        costs = calibrate::calibrate(costs)?;
    }
    let machine = args.machine;
    let dag = args.scene.dag(args.seed).map_err(Failure::Usage)?;
    let setup = |who, workers| Setup {
        who,
        workers,
        policy: args.tuning.policy(),
        order: args.order,
        start: args.start,
        costs,
        machine,
        seed: args.seed,
    };
    let plain = dag.time(dag.root, 0) / UNIT;
    let mut document = Document {
        simulated: true,
        command: std::env::args().collect(),
        machine: Here::this(),
        simulated_machine: machine,
        costs,
        tuning: args.tuning.to_string(),
        work: plain,
        span: dag.span(0) / UNIT,
        rows: Vec::new(),
        checked: Vec::new(),
    };
    if args.check {
        document.checked = check(&setup(Who::Sumac, 1), args.quick)?;
    } else {
        for &who in &args.policy {
            let one = setup(who, 1).simulate(&dag)?;
            for &workers in &args.workers {
                let outcome = setup(who, workers).simulate(&dag)?;
                let time = outcome.time.max(1) as f64;
                document.rows.push(Row {
                    policy: who,
                    speed_up: plain as f64 / time,
                    over_one: one.time as f64 / time,
                    outcome,
                });
            }
        }
    }
    if let Some(path) = &args.figure {
        save(path, figure(args, &document).as_bytes())?;
    }
    print(args, &document)
}

fn figure(args: &SimArgs, document: &Document) -> String {
    let curve = |who: Who| Curve {
        name: format!("{who:?}").to_lowercase(),
        points: (document.rows.iter())
            .filter(|row| row.policy == who)
            .map(|row| (row.outcome.workers as f64, row.over_one))
            .collect(),
    };
    let curves: Vec<_> = args.policy.iter().map(|&who| curve(who)).collect();
    draw(&args.scene.title(), &curves, args.scene.is_published())
}

fn print(args: &SimArgs, document: &Document) -> Result<(), Failure> {
    if args.json {
        let text = serde_json::to_string_pretty(document);
        println!("{}", text?);
        return Ok(());
    }
    if args.check {
        let mut table = Table::headed("problem|workers|measured|simulated|error");
        for row in &document.checked {
            table.row([
                row.problem.clone(),
                row.workers.to_string(),
                time(row.measured),
                time(row.simulated),
                format!("{:+.1} %", 100.0 * row.error()),
            ]);
        }
        println!("### Simulated against measured, here\n\n{table}");
        println!(
            "The shortest runs are compared. The plain program's time gives the work; all else is the simulator's, with costs measured here:\n{:?}",
            document.costs
        );
        return Ok(());
    }
    let head = ["policy", "workers", "time", "speed-up", "over own one"];
    let tail = ["ticks", "promotions", "steals", "wakes"];
    let mut table = Table::new(head.into_iter().chain(SPENT).chain(tail));
    for row in &document.rows {
        let o = &row.outcome;
        let spent = (0..4).map(|part| format!("{:.1} %", 100.0 * o.part(part)));
        let counts = [
            o.counts.ticks,
            o.counts.promotions,
            o.counts.steals,
            o.counts.wakes,
        ];
        let first = [
            format!("{:?}", row.policy).to_lowercase(),
            o.workers.to_string(),
            time(o.time as f64),
            ratio(row.speed_up),
            ratio(row.over_one),
        ];
        table.row(first.into_iter().chain(spent).chain(counts.map(grouped)));
    }
    println!("### SIMULATED: {}\n\n{table}", args.scene.title());
    println!(
        "Work {}, span {}. Speed-up: the plain program's time over this one. Everything here is simulated.",
        time(document.work as f64),
        time(document.span as f64),
    );
    Ok(())
}

fn workers(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if (1..=MOST_WORKERS).contains(&n) => Ok(n),
        _ => Err(format!(
            "a number of workers is between 1 and {MOST_WORKERS}"
        )),
    }
}
