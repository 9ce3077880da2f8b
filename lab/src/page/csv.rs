//! A CSV file per experiment, case and contender: what spreadsheets and other people's scripts
//! want.

use super::cases::{Group, Series, slug};
use super::load::{Experiment, Loaded};

const HEAD: &str = "threads,tuning,mean_ns_per_piece,median_ns_per_piece,p10_ns_per_piece,p90_ns_per_piece,min_ns_per_piece,\
                    median_ns_per_call,pieces,samples,visits,cpu_per_wall,voluntary_switches,involuntary_switches\n";

/// All files: names below the folder, and texts. A case's size is in the name, its parameters too.
pub(crate) fn tables(loaded: &Loaded) -> Vec<(String, String)> {
    let of_experiment = |experiment| groups_of(experiment).into_iter();
    loaded.experiments.iter().flat_map(of_experiment).collect()
}

fn groups_of(experiment: &Experiment) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for group in experiment.groups() {
        let mut contenders: Vec<String> = group.series().into_iter().map(|s| s.contender).collect();
        contenders.dedup();
        for contender in contenders {
            let case = group.case.slug();
            let name = format!("{}/{case}-{}.csv", slug(&experiment.name), slug(&contender));
            files.push((name, table(&group, &contender)));
        }
    }
    files
}

fn table(group: &Group<'_>, contender: &str) -> String {
    let mut text = HEAD.to_string();
    let own = group
        .known()
        .filter(|(cell, _)| cell.contender == contender);
    for (cell, facts) in own {
        let tuning = field(&Series::of(cell).tuning);
        let piece = |ns: f64| ns / facts.pieces;
        let s = facts.summary;
        text += &format!(
            "{},{tuning},{},{},{},{},{},{},{},{},{},{},{},{}\n",
            cell.threads,
            piece(facts.mean),
            piece(s.median),
            piece(s.p10),
            piece(s.p90),
            piece(s.min),
            s.median,
            facts.pieces,
            facts.sorted.len(),
            facts.visits,
            facts.busy().map_or(String::new(), |busy| busy.to_string()),
            facts.voluntary,
            facts.involuntary,
        );
    }
    text
}

/// A text as a field, in quotes if it needs them.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}
