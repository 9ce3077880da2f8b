#!/usr/bin/env bash
# No item of a public interface comes, goes or changes by accident: ci/api has a line for each, with
# all features on. But not `mpi` of sumac-mpi, which needs an MPI, nor that of sumac-batch, which is
# for the lab.
#   ci/api.sh --update     writes them anew
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# What rustdoc says in JSON changes from one Rust to the next.
if [[ $(rustc --version) != "rustc $stable "* ]]; then
    toolchain "$stable" || skip api "Rust $stable cannot be had"
fi
cargo build --quiet --locked -p sumac-api
own=$target/api
rm -rf "$own/said"
mkdir -p "$own/said"

# said MANIFEST PACKAGE OPTION...: its interface, with nothing hidden for want of the compiler's
# newest features.
said() {
    local manifest=$1 package=$2
    shift 2
    RUSTC_BOOTSTRAP=1 RUSTDOCFLAGS="--cfg docsrs" "${with[@]}" cargo rustdoc --quiet --locked --lib --manifest-path "$manifest" \
        -p "$package" "$@" --target-dir "$own" -- -Zunstable-options --output-format json
    "$target/debug/sumac-api" "$own/doc/${package//-/_}.json" >"$own/said/$package.txt"
}
for package in sumac-core sumac-par sumac-instruments sumac; do
    said Cargo.toml "$package" --all-features
done
said Cargo.toml sumac-batch
said Cargo.toml sumac-mpi
said "$rayon" sumac-rayon --all-features
said "$rayon" rayon-core --all-features

if [[ ${1:-} == --update ]]; then
    rm -rf ci/api
    cp -r "$own/said" ci/api
elif ! diff -U 0 -r ci/api "$own/said"; then
    echo "error: the public interface has changed; if that is meant: ci/api.sh --update"
    exit 1
fi
wc -l ci/api/*
