#!/usr/bin/env bash
# Unit, integration and documentation tests of the libraries, with debug assertions.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

tests cargo test --no-fail-fast "${libraries[@]/#/-p}"
tests cargo test --no-fail-fast --manifest-path "$rayon" --workspace
