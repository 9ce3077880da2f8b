#!/usr/bin/env bash
# Random trees of joins with random panics on several pools and foreign threads, against a
# sequential oracle. STRESS_JOINS sets how many joins there are in all: 10^8 here, 10^10 before a
# release. Then the same with programs made of loops, tasks, sorts and searches, for STRESS_SECONDS
# (15; full: 30); then STRESS_HISTORIES random histories of each batched structure with each kind of
# callers, looked through for one that is not linearizable.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cargo run --release -p sumac --example stress -- --joins "${STRESS_JOINS:-100000000}" --threads 1,2,3,4,8,32
cargo run --release -p sumac --example stress_loops -- "${STRESS_SECONDS:-$((full ? 30 : 15))}"
SUMAC_HISTORIES=${STRESS_HISTORIES:-3000} \
    tests cargo test --profile no-lto -p sumac-batch --test linearizable
