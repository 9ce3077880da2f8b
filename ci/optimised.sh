#!/usr/bin/env bash
# The library's tests as users build it: optimised, without debug assertions. Without the link-time
# optimisation between codegen units that cargo does by default, which takes most of the time for
# dozens of test programs.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# `linearizable` is left to the step `stress`, which runs it longer.
[[ -n $full ]] || batch=(-p sumac-batch --test batched --test memory) par=(-p sumac-par --test collect --test sort)
for programs in public batch par; do
    declare -n these=$programs
    tests cargo test --no-fail-fast --profile no-lto "${these[@]}"
done
