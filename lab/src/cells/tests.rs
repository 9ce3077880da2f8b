//! Files and plans: what is understood, what is refused and how, and that the repository's own
//! experiments can be planned.

use std::fs;
use std::path::Path;

use super::file::Document;
use super::plan::{Plan, Planned};
use crate::contender::Id;
use crate::file::read_toml;
use crate::machine;

fn document(text: &str) -> Result<Document, String> {
    toml::from_str(text).map_err(|error| error.to_string())
}

fn plan(text: &str, quick: bool) -> Result<Plan, String> {
    Plan::of(&document(text)?, quick, None)
}

fn cells(plan: &Plan) -> Vec<String> {
    let planned = plan.groups.iter().flatten();
    planned.map(|planned| planned.cell.to_string()).collect()
}

/// Why a block is refused.
fn refusal(block: &str) -> String {
    let text = format!("about = 'a test'\n[[cells]]\n{block}");
    plan(&text, false).expect_err(block)
}

const TWO_BLOCKS: &str = r#"
    about = "a test"
    [[cells]]
    problem = "tree"
    sizes = [10, 1_000]
    threads = [1, 4]
    contenders = ["baseline", "sumac"]
    rounds = 2
    [[cells]]
    problem = "tree"
    sizes = [10]
    threads = [2, 4]
    contenders = ["baseline", "sumac-join"]
    parameters = { pause = [0, 3] }
    quick = { sizes = [7], threads = [3] }
    [quick]
    sizes = [5]
    rounds = 1
    parameters = { pause = [1] }
"#;

#[test]
fn every_combination_is_a_cell_and_the_baseline_is_alone() {
    let plan = plan(TWO_BLOCKS, false).expect("a plan");
    let expected = [
        "tree 10 baseline x1",
        "tree 10 sumac-join x1",
        "tree 10 sumac-join x4",
        "tree 10 pause=0 baseline x1",
        "tree 10 pause=0 sumac-join x2",
        "tree 10 pause=0 sumac-join x4",
        "tree 10 pause=3 baseline x1",
        "tree 10 pause=3 sumac-join x2",
        "tree 10 pause=3 sumac-join x4",
        "tree 1000 baseline x1",
        "tree 1000 sumac-join x1",
        "tree 1000 sumac-join x4",
    ];
    assert_eq!(cells(&plan), expected);
    assert_eq!(plan.groups.len(), 2, "one a size");
    assert_eq!(plan.groups[0][0].rounds, 2);
    assert_eq!(plan.groups[0][3].rounds, 5, "the second block says nothing");
}

#[test]
fn quick_is_what_the_file_says_and_then_the_block() {
    let plan = plan(TWO_BLOCKS, true).expect("a plan");
    let expected = [
        "tree 5 pause=1 baseline x1",
        "tree 5 pause=1 sumac-join x1",
        "tree 5 pause=1 sumac-join x4",
        "tree 7 pause=1 baseline x1",
        "tree 7 pause=1 sumac-join x3",
    ];
    assert_eq!(cells(&plan), expected);
    assert!(
        plan.groups
            .iter()
            .flatten()
            .all(|p: &Planned| p.rounds == 1)
    );
}

#[test]
fn what_two_blocks_name_is_one_cell() {
    let block = "[[cells]]\nproblem = 'fib'\nsizes = [9]\nthreads = [1]\n";
    let plan = plan(&format!("about = ''\n{block}{block}"), false).expect("a plan");
    assert_eq!(plan.cells(), Id::EVERYBODY.len());
}

#[test]
fn cells_are_chosen_by_their_description() {
    let mut plan = plan(TWO_BLOCKS, false).expect("a plan");
    plan.retain(|planned| planned.cell.to_string().contains("pause=3 sumac"));
    assert_eq!(plan.cells(), 2);
    plan.retain(|planned| planned.cell.to_string().contains("rayon"));
    assert_eq!((plan.cells(), plan.groups.len()), (0, 0));
}

#[test]
fn sizes_can_follow_threads_and_contenders_be_programs_of_their_own() {
    let text = "about = ''\n[[cells]]\nproblem = 'bytes'\nsize_per_thread = 3\nthreads = [1, 4]\n";
    let two = plan(&format!("{text}contenders = ['sumac', 'floor']"), false).expect("a plan");
    let expected = [
        "bytes 3 sumac x1",
        "bytes 3 floor x1",
        "bytes 12 sumac x4",
        "bytes 12 floor x4",
    ];
    assert_eq!(cells(&two), expected);
    let why = plan(&format!("{text}contenders = ['baseline']"), false).expect_err("no adder");
    assert!(why.contains("no contender is called baseline"), "{why}");
}

#[test]
fn programs_bring_their_sizes_and_contenders() {
    let text = "about = ''\n[[cells]]\nproblems = ['lu', 'queens']\nthreads = ['cores', 3]";
    let cores = machine::cores();
    let plan = plan(text, true).expect("a plan");
    let cells = cells(&plan);
    assert!(
        cells.contains(&format!("lu 12 sumac-join x{cores}")),
        "{cells:?}"
    );
    assert!(cells.contains(&"queens 6 chili x3".into()), "{cells:?}");
    assert_eq!(cells.len(), (1 + 2 * 2) + (1 + Id::RUNTIMES.len() * 2));
}

#[test]
fn tunings_are_for_those_that_can_be_tuned() {
    let text = "about = ''\n[[cells]]\nproblem = 'tree'\nthreads = [2]\ntuning = ['']\n\
                contenders = ['rayon', 'sumac']";
    assert_eq!(plan(text, false).expect("a plan").cells(), 2);
    let why = refusal("problem = 'tree'\ntuning = ['', 'nonsense=1']");
    assert!(
        why.contains("tuning: ") && why.contains("nonsense"),
        "{why}"
    );
}

#[test]
fn what_does_not_fit_is_left_out_and_that_is_said() {
    let text = "about = ''\n[[cells]]\nproblem = 'tree'\nsizes = [1000, 500000000000]\n\
                contenders = ['baseline']";
    let plan = plan(text, false).expect("a plan");
    assert_eq!(cells(&plan), ["tree 1000 baseline x1"]);
    let said = &plan.remarks[0];
    assert!(
        said.starts_with("tree: without 500000000000: ") && said.contains("MiB"),
        "{said}"
    );
}

#[test]
fn what_makes_no_sense_is_refused_in_words() {
    #[rustfmt::skip]
    let cases = [
        ("problem = 'tetris'", "block 1: no problem is called tetris; there are tree, "),
        ("problem = 'tree'\nproblems = ['fib']", "either a problem or some"),
        ("problem = 'tree'\nsizes = []", "there are no cells"),
        ("problem = 'tree'\nsizes = [0]", "a size is between 1 and"),
        ("problem = 'tree'\nsizes = [500000000000]", "MiB"),
        ("problem = 'tree'\nsizes = [-1]", "-1"),
        ("problem = 'fib'\nsizes = [46]", "a size is between 2 and 45, not 46"),
        ("problem = 'tree'\nthreads = [0]", "threads: a number of threads is between 1 and 1024, not 0"),
        ("problem = 'tree'\nthreads = [1.5]", "a number of threads or \"cores\""),
        ("problem = 'tree'\nthreads = ['all']", "all is neither a number"),
        ("problem = 'tree'\ncontenders = ['tbb']", "no contender is called tbb; there are baseline, "),
        ("problem = 'tree'\ncontenders = ['planted']", "no contender is called planted"),
        ("problem = 'lu'\ncontenders = ['chili']", "lu: no contender is called chili; there are baseline, rayon, "),
        ("problem = 'tree'\nparameters = { work = [1] }", "has no parameter work, but pause"),
        ("problem = 'sha1-tree'\nparameters = { work = [] }", "sha1-tree: a list is empty"),
        ("problem = 'sha1-tree'\nparameters = { work = [9000000] }", "work is between 0 and 1000000"),
        ("problem = 'tree'\nrounds = 0", "rounds is between 1 and 1000, not 0"),
        ("problem = 'tree'\nvisit_seconds = nan", "visit_seconds is between"),
        ("problem = 'tree'\nsize = [1]", "unknown field `size`"),
    ];
    for (block, why) in cases {
        let refusal = refusal(block);
        assert!(refusal.contains(why), "{block}: {refusal}");
    }
    for (text, why) in [
        ("about = ''", "missing field `cells`"),
        ("cells = []", "missing field `about`"),
        ("about = ''\ncells = []", "no cells"),
        ("about = ''\ncells = []\nspeed = 9", "unknown field `speed`"),
        ("about = ", "TOML parse error at line 1"),
    ] {
        let refusal = plan(text, false).expect_err(text);
        assert!(refusal.contains(why), "{text}: {refusal}");
    }
}

#[test]
fn the_experiments_of_the_repository_can_be_planned() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments");
    let mut known = 0;
    for entry in fs::read_dir(folder).expect("there are experiments") {
        let path = entry.expect("a file").path();
        let document: Document = read_toml(&path).expect("a file that is understood");
        assert!(
            document.about.len() > 20,
            "{} says what it asks",
            path.display()
        );
        for quick in [false, true] {
            let plan = Plan::of(&document, quick, None);
            assert!(plan.expect("a plan").cells() > 0);
        }
        known += 1;
    }
    assert!(known >= 5);
}
