//! The tour: what there is to see in under a minute. The tree of the seeds at its sizes, the cost
//! of joining at various numbers of threads, the ramp, and idle pools. Each table is printed as
//! soon as it is complete.

use std::time::Duration;

use clap::Args;

use crate::cli::{self, Common};
use crate::contender::Id;
use crate::elsewhere::{self, Elsewhere};
use crate::experiment::{Failure, Limits, Records, Rounds, seats};
use crate::idle;
use crate::machine;
use crate::problem::catalogue::RAMP;
use crate::problem::tree::{Tree, title};
use crate::progress::tell;
use crate::report::Report;
use crate::table::{Table, grouped, ratio, time};
use crate::view::{SPREAD_NOTE, median_and_spread};
use crate::workload::Parameters;

/// Numbers of threads at which the overhead is shown.
const OVERHEAD_AT: [usize; 5] = [1, 2, 4, 8, 32];
/// The tree whose sum costs nothing but the joins.
const SMALL: u64 = 1023;
/// The size that `--full` adds.
const HUGE: u64 = 134_217_727;

/// How large, how long.
#[derive(Args, Clone, Debug)]
pub(crate) struct TourArgs {
    /// Also the tree of 134,217,727 nodes, which takes 4 GiB and a minute
    #[arg(long)]
    full: bool,

    /// Other sizes of trees
    #[arg(long, value_delimiter = ',', value_parser = cli::nodes, value_name = "N,..",
          default_values_t = [SMALL, 16_777_215])]
    nodes: Vec<u64>,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// Measures.
pub(crate) fn run(args: &TourArgs) -> Result<Report, Failure> {
    let mut sizes = args.nodes.clone();
    if args.full {
        cli::fits(HUGE).map_err(Failure::Usage)?;
        sizes.push(HUGE);
    }
    let mut report = Report::default();
    let print = |report: &mut Report| match args.common.json {
        true => Ok(()),
        false => report.print_so_far(),
    };
    for nodes in sizes {
        let limits = args
            .common
            .limits(25, if nodes > SMALL { 4.0 } else { 0.5 });
        sum(nodes, limits, &mut report)?;
        print(&mut report)?;
    }
    overhead(args.common.limits(25, 5.0), &mut report)?;
    print(&mut report)?;
    ramp(args.common.limits(25, 2.0), &mut report)?;
    print(&mut report)?;
    if cfg!(target_os = "linux") {
        let idle = idle::measure(&[Id::Rayon, Id::Chili, Id::SumacScope], 2)?;
        report.sections.push(idle::section(&idle));
        report.lines.extend(idle);
    }
    Ok(report)
}

fn sum(nodes: u64, limits: Limits, report: &mut Report) -> Result<(), Failure> {
    let threads = machine::cores();
    let seats = seats(Id::EVERYBODY, &[threads]);
    let name = title(nodes);
    tell(&format!("building the {name}"));
    let tree = Tree::new(nodes);
    let records = Rounds::hot(&seats, limits).measure(&name, &tree)?;
    let best = records.sequential().reduce(f64::min);
    let own = records.get(Id::SumacScope, threads).zip(best);
    let speed_up = own.map_or("".into(), |(own, best)| ratio(best / own.median()));
    let names = Id::EVERYBODY.iter().map(Id::to_string);
    let head = ["nodes".to_string()].into_iter().chain(names);
    let mut table = Table::new(head.chain(["baseline / sumac".to_string()]));
    let cells = records.iter().map(median_and_spread);
    table.row([grouped(nodes)].into_iter().chain(cells).chain([speed_up]));
    let count = grouped(nodes);
    let heading = format!("the sum of a tree of {count} nodes, a join at each, {threads} threads");
    let note = format!(
        "The last column is the better sequential order over the sumac scope. {SPREAD_NOTE}"
    );
    report.add(heading, table, note);
    report.keep(records.iter());
    Ok(())
}

fn overhead(limits: Limits, report: &mut Report) -> Result<(), Failure> {
    let ids = [
        Id::Baseline,
        Id::Rayon,
        Id::Chili,
        Id::SumacJoin,
        Id::SumacScope,
    ];
    let seats = seats(&ids, &OVERHEAD_AT);
    let name = format!("{}, by threads", title(SMALL));
    let tree = Tree::new(SMALL);
    let records = Rounds::hot(&seats, limits).measure(&name, &tree)?;
    let table = by_threads(&records, &ids[1..]);
    let baseline = records.get(Id::Baseline, 1).map_or(0.0, |r| r.median());
    let title = format!(
        "{} nodes, time over the baseline's by threads",
        grouped(SMALL)
    );
    let (baseline, there) = (time(baseline), elsewhere::NOTE);
    let note = format!("The baseline takes {baseline}. {SPREAD_NOTE}\n\n{there}");
    report.add(title, table, note);
    report.keep(records.iter());
    Ok(())
}

fn by_threads(records: &Records, ids: &[Id]) -> Table {
    let counts = OVERHEAD_AT.iter().map(usize::to_string);
    let mut table = Table::new(["threads".to_string()].into_iter().chain(counts));
    for &id in ids {
        table.across(id, OVERHEAD_AT, |n| {
            let (own, plain) = records.get(id, n).zip(records.get(Id::Baseline, 1))?;
            Some(ratio(own.median() / plain.median()) + &own.summary.spread())
        });
    }
    for there in Elsewhere::of(SMALL) {
        table.across(there.who, OVERHEAD_AT, |n| {
            Some(ratio(there.on(n)? / there.baseline))
        });
    }
    table
}

fn ramp(limits: Limits, report: &mut Report) -> Result<(), Failure> {
    let threads = machine::cores();
    let field = [&[Id::Baseline, Id::StaticSplit], Id::RUNTIMES].concat();
    let seats = seats(&field, &[threads]);
    let hot = Rounds::hot(&seats, limits);
    let cold = Rounds {
        pause: Some(Duration::from_millis(1)),
        ..hot
    };
    let names = seats.iter().map(|seat| seat.id.to_string());
    let mut table = Table::new(["one call".to_string()].into_iter().chain(names));
    let all = RAMP[..3].iter().map(|leaves| (leaves, hot));
    for (leaves, rounds) in all.chain([(&RAMP[2], cold)]) {
        let problem = (leaves.make)(Parameters(""), leaves.size);
        let records = problem.measure(leaves.name, &rounds)?;
        let name = format!("{}, {}", leaves.name, rounds.condition());
        table.across(name, &seats, |seat| {
            records.get(seat.id, seat.threads).map(median_and_spread)
        });
        report.keep(records.iter());
    }
    let title = format!("ramp: how soon the others help, {threads} threads");
    report.add(title, table, SPREAD_NOTE);
    Ok(())
}
