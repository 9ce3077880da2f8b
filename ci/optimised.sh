#!/usr/bin/env bash
# The library's tests as users build it: optimised, without debug assertions.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

tests cargo test --no-fail-fast --release -p sumac-core -p sumac-batch -p sumac --lib --tests
tests cargo test --no-fail-fast --release "${par[@]}"
