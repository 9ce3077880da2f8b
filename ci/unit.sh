#!/usr/bin/env bash
# All tests, examples in the documentation included: once with debug assertions, and the library's once more
# optimised (without link-time optimisation, which takes minutes for dozens of test programs).
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

tests cargo test --no-fail-fast --workspace
# The instruments, which normal builds have not.
instruments=(--features sumac/profile,sumac/trace)
tests cargo test --no-fail-fast -p sumac-core --features profile,trace --lib -- profile trace
tests cargo test --no-fail-fast -p sumac "${instruments[@]}" --test instruments
tests cargo test -p sumac "${instruments[@]}" --doc profiling
tests cargo test --no-fail-fast -p sumac-lab --features profile,trace --test instruments
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
tests cargo test --no-fail-fast --release --lib --tests -p sumac-core -p sumac-batch -p sumac
tests cargo test --no-fail-fast --release "${par[@]}"
