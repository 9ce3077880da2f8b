#!/usr/bin/env bash
# Every Rust file is laid out as rustfmt does it by default.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cargo fmt --version >/dev/null 2>&1 || toolchain "$stable" -c rustfmt || skip fmt "rustfmt cannot be had"
"${with[@]}" cargo fmt --all --check
"${with[@]}" cargo fmt --manifest-path "$rayon" --all --check
"${with[@]}" cargo fmt --manifest-path extensions/Cargo.toml --all --check
