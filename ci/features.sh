#!/usr/bin/env bash
# What normal builds lack: the instruments (profile, trace), spans that go with jobs, orders that
# seeds decide, a jobserver's tokens, and most of the lab. Lints and tests.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

all=sumac/profile,sumac/trace,sumac/tracing,sumac/testing,sumac/jobserver,sumac-lab/forte
if cargo clippy --version >/dev/null 2>&1 || toolchain "$stable" -c clippy; then
    "${with[@]}" cargo clippy --locked --ignore-rust-version --workspace --all-targets --features "$all" -- -D warnings
else
    notice features "clippy cannot be had"
fi
tests cargo test --no-fail-fast -p sumac-core --features hooks --lib
tests cargo test --no-fail-fast -p sumac-instruments --features profile,trace
tests cargo test --no-fail-fast -p sumac --features profile,trace --test instruments
tests cargo test -p sumac --features profile,trace --doc profiling
# One build for these: each feature is for some of the programs, and must not disturb the others.
also=tracing,testing,jobserver
tests cargo test --no-fail-fast -p sumac --features $also --test spans --test orders --test jobserver --test traps
tests cargo test -p sumac --features $also --doc
tests cargo test --no-fail-fast --ignore-rust-version -p sumac-lab --features forte
# The answers of all libraries are the same.
cargo run --quiet -p sumac-flat -- --quick
cargo run --quiet -p sumac-grains -- --quick
