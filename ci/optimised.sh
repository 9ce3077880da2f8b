#!/usr/bin/env bash
# The library's tests as users build it: optimised, without debug assertions. Without the link-time optimisation
# between codegen units that cargo does by default, which takes most of the time for dozens of test programs.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

tests cargo test --no-fail-fast --profile no-lto -p sumac-core -p sumac-batch -p sumac --lib --tests
tests cargo test --no-fail-fast --profile no-lto "${par[@]}"
