#!/usr/bin/env bash
# Rayon on sumac's scheduler (crates/rayon-core): all tests that rayon and rayon-core have,
# unmodified, from the sources that cargo keeps. Each must pass, and the program must be made of our
# crates.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

version=1.12.0 core=1.13.0
work=$target/under-rayon
shim=$PWD/crates/rayon-core
fail() { echo "error: $*"; exit 1; }
rm -rf "$work"
mkdir -p "$work"/{fetch/src,core/src}

# Where cargo has them.
cat >"$work/fetch/Cargo.toml" <<EOF
[package]
name = "fetch"
edition = "2024"
[dependencies]
rayon = "=$version"
rayon-core = "=$core"
[workspace]
EOF
touch "$work/fetch/src/lib.rs"
metadata=$(cargo metadata --format-version 1 --manifest-path "$work/fetch/Cargo.toml" 2>"$work/said") ||
    { cat "$work/said"; skip under-rayon "rayon's sources cannot be had"; }
# source_of NAME VERSION: the folder of that package.
source_of() {
    grep -oE "\"manifest_path\":\"[^\"]*/$1-$2/Cargo.toml\"" <<<"$metadata" | head -n 1 | sed 's:.*"\(/.*\)/Cargo.toml"$:\1:'
}

# A workspace of rayon as it is, and of the tests of rayon-core.
cp -r "$(source_of rayon $version)" "$work/rayon"
cp -r "$(source_of rayon-core $core)/tests" "$work/core/tests"
chmod -R u+w "$work"
touch "$work/core/src/lib.rs"
cat >"$work/core/Cargo.toml" <<EOF
[package]
name = "core-tests"
edition = "2021"
[dependencies]
rayon-core = "=$core"
[dev-dependencies]
crossbeam-utils = "0.8"
libc = "0.2"
rand = "0.9"
rand_xorshift = "0.4"
scoped-tls = "1"
EOF
cat >"$work/Cargo.toml" <<EOF
[workspace]
resolver = "2"
members = ["rayon", "core"]
[profile.dev]
debug = "line-tables-only"
[patch.crates-io]
rayon-core = { path = "$shim" }
EOF
cd "$work"

# The patch took: rayon's scheduler is ours, and nothing else is called so.
for package in rayon core-tests; do
    tree=$(cargo tree --quiet -p "$package" --edges normal)
    [[ $tree == *"rayon-core v$core ($shim)"*"sumac-core v"* ]] || fail "$package is not on sumac: $tree"
done
[[ $(grep -c '^name = "rayon-core"' Cargo.lock) == 1 ]] || fail "there are two rayon-cores"

log=$work/log
tests cargo test --workspace --lib --tests --no-fail-fast 2>&1 | tee "$log"
# And at run time.
said=$(SUMAC_ANNOUNCE=1 cargo test -q -p core-tests --test scope_join -- --nocapture 2>&1)
grep -q '^sumac .* runs rayon: a pool with' <<<"$said" || fail "the tests ran on another scheduler: $said"
awk '/^test result: ok/ { passed += $4; ignored += $8 } END { print passed " tests of rayon and rayon-core pass, " ignored " ignored" }' "$log"
