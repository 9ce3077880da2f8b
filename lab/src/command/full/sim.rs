//! `lab sim`: schedulers on machines that are not at hand, simulated.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;
use sumac::Tuning;

use crate::experiment::Failure;
use crate::file::{self, save};
use crate::machine::Machine as Here;
use crate::sim::check::{Checked, check};
use crate::sim::figure::{Curve, draw};
use crate::sim::{
    Costs, Dag, Machine, Node, Order, Outcome, Recorded, SPENT, Setup, Side, Split, Start, UNIT,
    Who, calibrate,
};
use crate::table::{Table, grouped, ratio, time};

/// The most workers that are simulated.
const MOST_WORKERS: usize = 1024;

/// What is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Program {
    /// A balanced tree, a join at every node
    Tree,
    /// Naive Fibonacci
    Fib,
    /// A chain with a tree beside each node
    Spine,
    /// Equal leaves under a recursion, perhaps below decoys
    Leaves,
    /// A recorded program
    File,
}

/// What is simulated, and how.
#[derive(Args, Clone, Debug)]
pub(crate) struct SimArgs {
    /// The program
    #[arg(value_enum, default_value = "tree")]
    program: Program,

    /// Nodes of the tree, or of all trees at a spine
    #[arg(long, default_value = "100_000_000", value_parser = nodes)]
    nodes: u64,

    /// What a node of a tree or a call of fib takes, in ns [default: 7.5 for trees, as published
    /// for Rust; 2 for fib]
    #[arg(long, value_parser = |text: &str| number(text, 0.001..=1e6), value_name = "NS")]
    node_ns: Option<f64>,

    /// The number for fib
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(0..=80))]
    n: u32,

    /// Nodes of the spine
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    spine: u64,

    /// Number of leaves
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    leaves: u32,

    /// What a leaf takes, in µs
    #[arg(long, default_value = "20", value_parser = |text: &str| number(text, 0.001..=1e6), value_name = "US")]
    leaf_us: f64,

    /// How the leaves are divided
    #[arg(long, value_enum, default_value = "halves")]
    split: Split,

    /// Joins with a tiny half above the leaves
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    decoys: u32,

    /// On which side a spine goes on, or a decoy lies
    #[arg(long, value_enum, default_value = "left")]
    side: Side,

    /// The recorded program: nested {"strand": ns}, {"series": [..]}, {"parallel": [a, b]}
    #[arg(long, value_name = "JSON")]
    file: Option<PathBuf>,

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

    /// Physical cores; each serves two workers [default: one for every worker]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    cores: Option<u64>,

    /// What the second worker on a core adds to the first, from 0 to 1
    #[arg(long, default_value = "1", value_parser = |text: &str| number(text, 0.0..=1.0))]
    smt: f64,

    /// How many workers at full speed the memory serves
    #[arg(long, value_parser = |text: &str| number(text, 0.1..=1024.0))]
    bandwidth: Option<f64>,

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
    let mut costs = costs(args)?;
    if args.calibrate || args.check {
        costs = calibrate::calibrate(costs)?;
    }
    let machine = Machine {
        cores: args.cores.map(|cores| cores as usize),
        smt: args.smt,
        bandwidth: args.bandwidth,
    };
    let dag = dag(args)?;
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

fn costs(args: &SimArgs) -> Result<Costs, Failure> {
    let Some(path) = &args.costs else {
        return Ok(Costs::default());
    };
    let costs: Costs = serde_json::from_str(&file::read(path).map_err(Failure::Usage)?)
        .map_err(|why| Failure::Usage(format!("{} has no costs: {why}", path.display())))?;
    // Joins take parts of nanoseconds.
    let fine = serde_json::to_value(costs)?
        .as_object()
        .is_some_and(|costs| {
            let mut costs = costs.values().map(|cost| (cost.is_f64(), cost.as_f64()));
            costs.all(|(join, ns)| match (join, ns) {
                (true, Some(ns)) => (0.0..1e6).contains(&ns),
                (false, Some(ns)) => ns <= 1e9,
                (_, None) => false,
            })
        });
    let fine = fine && costs.look > 0;
    if !fine {
        let why = "a cost is out of range: joins below 1 ms, others up to 1 s, `look` above 0";
        return Err(Failure::Usage(why.into()));
    }
    Ok(costs)
}

fn dag(args: &SimArgs) -> Result<Dag, Failure> {
    let tree_ns = args.node_ns.unwrap_or(7.5);
    Ok(match args.program {
        Program::Tree => Dag::new(Node::Tree(args.nodes), tree_ns),
        Program::Fib => Dag::new(Node::Fib(args.n), args.node_ns.unwrap_or(2.0)),
        Program::Spine => Dag {
            side: args.side,
            hanging: args.nodes / args.spine,
            ..Dag::new(Node::Spine(args.spine), tree_ns)
        },
        Program::Leaves => Dag {
            seed: args.seed,
            ..Dag::leaves(
                args.leaves,
                args.leaf_us * 1e3,
                args.split,
                args.decoys,
                args.side,
            )
        },
        Program::File => {
            let Some(path) = &args.file else {
                return Err(Failure::Usage("a recorded program needs --file".into()));
            };
            let (recorded, root) = Recorded::read(&file::read(path).map_err(Failure::Usage)?)
                .map_err(|why| Failure::Usage(format!("{}: {why}", path.display())))?;
            Dag {
                recorded,
                ..Dag::new(root, 0.0)
            }
        }
    })
}

fn title(args: &SimArgs) -> String {
    match args.program {
        Program::Tree => format!("tree of {} nodes", grouped(args.nodes)),
        Program::Fib => format!("fib({})", args.n),
        Program::Spine => format!("spine of {} nodes", grouped(args.spine)),
        Program::Leaves => format!(
            "{} leaves of {} µs",
            grouped(args.leaves.into()),
            args.leaf_us
        ),
        Program::File => "a recorded program".into(),
    }
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
    let published = args.program == Program::Tree && args.nodes == 100_000_000;
    draw(&title(args), &curves, published)
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
    println!("### SIMULATED: {}\n\n{table}", title(args));
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

fn nodes(text: &str) -> Result<u64, String> {
    match text.replace('_', "").parse() {
        Ok(n) if n <= 1 << 40 => Ok(n),
        _ => Err("a number of nodes is between 0 and 2^40".into()),
    }
}

fn number(text: &str, range: std::ops::RangeInclusive<f64>) -> Result<f64, String> {
    let (least, most) = (*range.start(), *range.end());
    match text.parse() {
        Ok(value) if range.contains(&value) => Ok(value),
        _ => Err(format!("a number from {least} to {most}")),
    }
}
