#!/usr/bin/env bash
# The crates that users import compile with the oldest Rust we promise (`rust-version` in
# Cargo.toml).
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for manifest in Cargo.toml "$rayon"; do
    grep -q "^rust-version = \"${msrv%.0}\"" "$manifest" || { echo "error: ci/lib.sh and $manifest disagree"; exit 1; }
done
toolchain "$msrv" || skip msrv "Rust $msrv cannot be had"
"${with[@]}" cargo check --locked -p sumac --features profile,trace,tracing,testing,jobserver --target-dir "$target/msrv"
"${with[@]}" cargo check --locked -p sumac-mpi --target-dir "$target/msrv"
"${with[@]}" cargo check --locked --manifest-path "$rayon" --workspace --target-dir "$target/msrv"
