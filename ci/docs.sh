#!/usr/bin/env bash
# The documentation builds without a warning: no dead links, no malformed examples.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

RUSTDOCFLAGS=-Dwarnings cargo doc --no-deps --workspace --all-features
