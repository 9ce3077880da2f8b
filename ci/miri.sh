#!/usr/bin/env bash
# Small programs under Miri, in both models of aliasing, with as many thread schedules as MIRI_SEEDS says (2).
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

toolchain "$nightly" -c miri -c rust-src || skip miri "$nightly with Miri cannot be had"
export XDG_CACHE_HOME=$target/miri/cache RUSTFLAGS=-Zrandomize-layout RUST_BACKTRACE=0
flags="-Zmiri-disable-isolation -Zmiri-strict-provenance -Zmiri-many-seeds=0..${MIRI_SEEDS:-2}"
for model in "" -Zmiri-tree-borrows; do
    echo "-- ${model:-stacked borrows}"
    MIRIFLAGS="$flags $model" tests "${with[@]}" cargo miri test -p sumac -p sumac-par -p sumac-batch \
        --test small --test small_tasks --test small_batches
done
