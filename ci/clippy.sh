#!/usr/bin/env bash
# No warning from rustc or clippy in any target. The workspace's lints deny among other things an unsafe block
# without SAFETY comment and a std item newer than our minimum Rust. Also fails if Cargo.lock is out of date. What needs an MPI is looked at by mpi.sh.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cargo clippy --version >/dev/null 2>&1 || toolchain "$stable" -c clippy || skip clippy "clippy cannot be had"
"${with[@]}" cargo clippy --locked --workspace --all-targets -- -D warnings
"${with[@]}" cargo clippy --locked --workspace --all-targets --features sumac/profile,sumac/trace,sumac-lab/profile,sumac-lab/trace -- -D warnings
