#!/usr/bin/env bash
# The whole scheduler under a schedule explorer (crates/core/src/explore): real pools, of whose
# threads one runs at a time, in orders that seeds decide. EXPLORE_SCHEDULES says how many orders of
# each program (1,000; full: 100,000); EXPLORE_SEED, with which to begin, to have a failure again.
# Its twins with planted faults must fail. Last comes a program on a simulated machine, as `lab sim`
# runs them.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

export RUSTFLAGS="--cfg explore" EXPLORE_SCHEDULES=${EXPLORE_SCHEDULES:-$((full ? 100000 : 1000))}
# Optimised, but with our assertions in.
export CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true
tests cargo test --release -p sumac-core --lib --target-dir "$target/explore" explore:: -- --show-output
cargo run --quiet --release -p sumac-core --example simulate --target-dir "$target/explore" -- leaves 256 20000000 1 1 8
