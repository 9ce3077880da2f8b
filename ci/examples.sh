#!/usr/bin/env bash
# The examples run, and their assertions hold.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for example in crates/sumac/examples/[0-9]*.rs; do
    name=$(basename "$example" .rs)
    echo "-- $name"
    timeout 60 cargo run -q -p sumac --features profile,trace --example "$name"
done
