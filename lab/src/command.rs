//! One file per command: its arguments, the experiments it runs, the tables it makes of them.

#[cfg(feature = "full")]
pub(crate) mod full;
pub(crate) mod idle;
pub(crate) mod leaves;
pub(crate) mod tour;
pub(crate) mod tree;

/// The commands of `full`, for a build that has none of them.
#[cfg(any(test, not(feature = "full")))]
pub(crate) const FULL: [&str; 15] = [
    "deadlocks",
    "enter",
    "list",
    "run",
    "loops",
    "batch",
    "fork",
    "adders",
    "field",
    "report",
    "compare",
    "profile",
    "timeline",
    "sim",
    "all",
];

#[cfg(all(test, feature = "full"))]
#[test]
fn a_small_build_knows_the_commands_of_a_full_one() {
    use clap::Subcommand;
    let full = full::Full::augment_subcommands(clap::Command::new("lab"));
    let commands = full.get_subcommands().filter(|own| !own.is_hide_set());
    assert!(commands.map(clap::Command::get_name).eq(FULL));
}
