#!/usr/bin/env bash
# Small programs under Miri, in both models of aliasing, with as many thread schedules as MIRI_SEEDS says (2).
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

toolchain "$nightly" -c miri -c rust-src || skip miri "$nightly with Miri cannot be had"
export XDG_CACHE_HOME=$target/miri/cache RUSTFLAGS=-Zrandomize-layout
flags="-Zmiri-disable-isolation -Zmiri-strict-provenance -Zmiri-many-seeds=0..${MIRI_SEEDS:-$((full ? 4 : 1))}"
for model in "" -Zmiri-tree-borrows; do
    echo "-- ${model:-stacked borrows}"
    # The iterators, which take half of the time, in the first model only.
    iterators=(-p sumac-par)
    [[ -z $model || -n $full ]] || iterators=()
    MIRIFLAGS="$flags $model" tests "${with[@]}" cargo miri test -p sumac "${iterators[@]}" -p sumac-batch \
        --test small --test small_tasks --test small_structures
done
echo "-- a system where thread-locals begin anew after their destructors"
# There each thread's word stays for good (word.rs), which is a leak to Miri.
MIRIFLAGS="$flags -Zmiri-ignore-leaks" tests "${with[@]}" cargo miri test -p sumac --test small_ends \
    --target x86_64-pc-windows-gnu
