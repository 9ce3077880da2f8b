//! One file per command: its arguments, the experiments it runs, the tables it makes of them.

#[cfg(feature = "full")]
pub(crate) mod full;
pub(crate) mod tour;

/// The commands of `full`, for a build that has none of them.
#[cfg(any(test, not(feature = "full")))]
pub(crate) const FULL: [&str; 9] = [
    "deadlocks",
    "list",
    "run",
    "batch",
    "fork",
    "adders",
    "field",
    "report",
    "sim",
];

#[cfg(all(test, feature = "full"))]
#[test]
fn a_small_build_knows_the_commands_of_a_full_one() {
    use clap::Subcommand;
    let full = full::Full::augment_subcommands(clap::Command::new("lab"));
    let commands = full.get_subcommands().filter(|own| !own.is_hide_set());
    assert!(commands.map(clap::Command::get_name).eq(FULL));
}
