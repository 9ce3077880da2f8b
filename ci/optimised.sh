#!/usr/bin/env bash
# The library's tests as users build it: optimised, without debug assertions. Without the link-time
# optimisation between codegen units that cargo does by default, which takes most of the time for
# dozens of test programs. Of each batched structure with each kind of callers, STRESS_HISTORIES
# (3,000) random histories are looked through for one that is not linearizable.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[[ -n $full ]] || batch=(-p sumac-batch --test batched --test linearizable --test memory) par=(-p sumac-par --test collect --test sort)
export SUMAC_HISTORIES=${STRESS_HISTORIES:-3000}
for programs in public batch par; do
    declare -n these=$programs
    tests cargo test --no-fail-fast --profile no-lto --target-dir "$target/optimised" "${these[@]}"
done
