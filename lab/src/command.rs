//! One file per command: its arguments, the experiments it runs, the tables it makes of them.

pub(crate) mod adders;
pub(crate) mod all;
pub(crate) mod batch;
pub(crate) mod builds;
pub(crate) mod cell;
pub(crate) mod coarse;
pub(crate) mod compare;
pub(crate) mod enter;
pub(crate) mod fib;
pub(crate) mod idle;
pub(crate) mod list;
pub(crate) mod loops;
pub(crate) mod profile;
pub(crate) mod programs;
pub(crate) mod ramp;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod shapes;
pub(crate) mod sim;
pub(crate) mod timeline;
pub(crate) mod tour;
pub(crate) mod tree;

/// What a command says whose feature this build has not.
#[cfg(not(all(feature = "report", feature = "profile", feature = "trace")))]
fn lacking(feature: &str, command: &str) -> crate::experiment::Failure {
    crate::experiment::Failure::Usage(format!(
        "this build of the lab lacks the feature `{feature}`; run it with: \
         cargo run --release --features {feature} -- {command}"
    ))
}
