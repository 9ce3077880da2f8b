#!/usr/bin/env bash
# What would be published (RELEASING.md): each crate packs with its page, both licences and the
# fields that a registry shows, and needs none that is published later. What is packed then compiles
# outside of this workspace and serves a program there; if all is asked for, its documentation tests
# pass there, too.
#   ci/package.sh release     also fails as long as the repository has no public address
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

fail() { echo "error: $*"; exit 1; }
version=$(sed -nE '/^\[workspace\.package\]/,/^\[workspace\.dep/ s/^version = "(.*)"$/\1/p' Cargo.toml)
# shellcheck disable=SC2016
mapfile -t crates < <(sed -nE 's/^[0-9]+\. `(sumac[a-z-]*)`.*/\1/p' RELEASING.md)
publishable=$(sources '*Cargo.toml' ':!field' | xargs grep -L '^publish = false' | xargs grep -hm 1 '^name = ' | cut -d'"' -f 2 | sort)
[[ $(printf '%s\n' "${crates[@]}" | sort) == "$publishable" ]] ||
    fail "RELEASING.md lists ${crates[*]}, but can be published:" $publishable
if [[ ${1:-} == release ]] && grep -nE '^(repository|homepage) = .*[.]example\b' Cargo.toml; then
    fail "the repository has no public address"
fi

# Where the pages of the last version are is for those who make them to say.
if grep -rn html_root_url crates/*/src; then fail "a crate says where its pages are"; fi

work=$target/package
rm -rf "$work"
said=$(cargo package --quiet --locked --allow-dirty --no-verify "${crates[@]/#/-p}" 2>&1) || {
    echo "$said"
    if grep -qE 'failed to (download|fetch|get|query)|offline|Could not resolve' <<<"$said"; then
        skip package "the registry cannot be had"
    fi
    exit 1
}

members=() patches='' earlier=' '
for crate in "${crates[@]}"; do
    member=$crate-$version
    tar -xzf "$work/$member.crate" -C "$work"
    for file in README.md LICENSE-MIT LICENSE-APACHE src/lib.rs; do
        [[ -s $work/$member/$file && ! -L $work/$member/$file ]] || fail "$crate is packed without $file"
    done
    manifest=$work/$member/Cargo.toml
    for field in description homepage repository documentation readme license rust-version keywords categories; do
        grep -q "^$field = " "$manifest" || fail "$crate has no field '$field'"
    done
    grep -qxF '[package.metadata.docs.rs]' "$manifest" || fail "$crate does not say how its pages are made"
    while read -r needed; do
        [[ $earlier == *" $needed "* ]] || fail "$crate needs $needed, which is published later"
    done < <(sed -nE 's/^\[.*dependencies\.(sumac[a-z-]*)\]$/\1/p' "$manifest")
    # What the examples of the documentation name: a cycle cannot be published.
    [[ $crate == sumac || $crate == sumac-mpi ]] ||
        printf '\n[dev-dependencies.sumac]\nversion = "%s"\nfeatures = ["profile", "trace"]\n' "$version" >>"$manifest"
    earlier+="$crate " members+=("$member") patches+="$crate = { path = \"$member\" }"$'\n'
    echo "$crate: $(stat -c %s "$work/$member.crate") bytes"
done

mkdir -p "$work/program/src"
cp Cargo.lock "$work"
cat >"$work/Cargo.toml" <<EOT
[workspace]
resolver = "3"
members = [$(printf '"%s", ' "${members[@]}" program)]
[patch.crates-io]
$patches
[profile.dev]
debug = "line-tables-only"
EOT
cat >"$work/program/Cargo.toml" <<EOT
[package]
name = "program"
edition = "2024"
[dependencies]
sumac = { version = "$version", features = ["profile", "trace"] }
sumac-mpi = "$version"
EOT
cat >"$work/program/src/main.rs" <<'EOT'
use sumac::batch::{Batched, Counter};
use sumac::prelude::*;

fn main() {
    let (a, b) = sumac::join(|| (0..1000u64).into_par_iter().sum::<u64>(), || 42);
    let counter = Batched::new(Counter::new(0));
    let (_, profile) = sumac::profile(|| sumac::for_each(0..100, |_| assert!(counter.apply(sumac::batch::Add(1)) < 100)));
    let ranks = sumac_mpi::World::threads(3).run(|comm| comm.all_reduce(comm.rank() as u64, |a, b| a + b));
    println!("{a} {b} {:?} {}", ranks.expect("no rank fails"), profile.work.is_zero());
}
EOT
cd "$work"
said=$(cargo run --quiet -p program)
[[ $said == "499500 42 [3, 3, 3] false" ]] || fail "the program says: $said"
cargo check --quiet --workspace --examples
# The same texts pass in the workspace; here they show that they need nothing else.
[[ -z $full ]] || tests cargo test --doc --no-fail-fast --workspace
