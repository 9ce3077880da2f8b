#!/usr/bin/env bash
# Small programs under Miri, in both models of aliasing, with as many thread schedules as MIRI_SEEDS says (1; full: 4).
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

toolchain "$nightly" -c miri -c rust-src || skip miri "$nightly with Miri cannot be had"
export XDG_CACHE_HOME=$target/miri/cache RUSTFLAGS=-Zrandomize-layout
flags="-Zmiri-disable-isolation -Zmiri-strict-provenance -Zmiri-many-seeds=0..${MIRI_SEEDS:-$((full ? 4 : 1))}"
miri=("${with[@]}" cargo miri test -p sumac -p sumac-batch --test small --test small_tasks --test small_structures)
"${miri[@]}" -p sumac-par --no-run

# Miri uses one processor, so the models run side by side. The iterators, which take half of the time, run in the first
# model only, unless all is asked for.
iterators=(-p sumac-par)
MIRIFLAGS=$flags tests "${miri[@]}" "${iterators[@]}" &
[[ -n $full ]] || iterators=()
log=$(mktemp) status=0
trap 'rm -f "$log"' EXIT
MIRIFLAGS="$flags -Zmiri-tree-borrows" tests "${miri[@]}" "${iterators[@]}" >"$log" 2>&1 || status=$?
wait $! || status=$?
echo "-- tree borrows"
cat "$log"
[[ $status == 0 ]] || exit "$status"

echo "-- a system where thread-locals begin anew after their destructors"
# There each thread's word stays for good (word.rs), which is a leak to Miri.
MIRIFLAGS="$flags -Zmiri-ignore-leaks" tests "${with[@]}" cargo miri test -p sumac --test small_ends \
    --target x86_64-pc-windows-gnu
