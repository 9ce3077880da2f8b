#!/usr/bin/env bash
# What clippy.sh and unit.sh do, for the rest of the workspace: the lab and what it measures.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

rest=(--locked --workspace "${libraries[@]/#/--exclude=}")
if cargo clippy --version >/dev/null 2>&1 || toolchain "$stable" -c clippy; then
    "${with[@]}" cargo clippy "${rest[@]}" --all-targets -- -D warnings
else
    notice lab "clippy cannot be had"
fi
tests cargo test --no-fail-fast "${rest[@]}"
