#!/usr/bin/env bash
# The documentation builds without a warning: no dead links, no malformed examples. What needs an
# MPI is looked at by mpi.sh.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

export RUSTDOCFLAGS=-Dwarnings
cargo doc --no-deps --workspace --features sumac/profile,sumac/trace,sumac/tracing,sumac/testing,sumac/jobserver
cargo doc --no-deps --manifest-path "$rayon" --workspace
