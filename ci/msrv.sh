#!/usr/bin/env bash
# The crates that users import compile with the oldest Rust we promise (`rust-version` in Cargo.toml).
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

grep -q "^rust-version = \"${msrv%.0}\"" Cargo.toml || { echo "error: ci/lib.sh and Cargo.toml disagree"; exit 1; }
toolchain "$msrv" || skip msrv "Rust $msrv cannot be had"
"${with[@]}" cargo check --locked -p sumac --features profile,trace --target-dir "$target/msrv"
"${with[@]}" cargo check --locked -p sumac-mpi --target-dir "$target/msrv"
