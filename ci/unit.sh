#!/usr/bin/env bash
# All tests, examples in the documentation included: once with debug assertions, and the library's once more as
# users run it, optimised.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

tests cargo test --no-fail-fast --workspace
tests cargo test --no-fail-fast --release -p sumac-core -p sumac-par -p sumac
