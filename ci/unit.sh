#!/usr/bin/env bash
# Unit, integration and documentation tests, with debug assertions.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

tests cargo test --no-fail-fast --workspace
tests cargo test --no-fail-fast --manifest-path "$rayon" --workspace
