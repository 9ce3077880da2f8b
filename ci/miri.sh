#!/usr/bin/env bash
# Small programs, and tests inside core, the iterators and the batches, under Miri, with as many
# thread schedules as MIRI_SEEDS says (1; full: 4). The small programs run in both models of
# aliasing. The second one allows nearly all that the first does: unless all is asked for, it gets
# the joins only.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

toolchain "$nightly" -c miri -c rust-src || skip miri "$nightly with Miri cannot be had"
export XDG_CACHE_HOME=$target/miri/cache RUSTFLAGS=-Zrandomize-layout
flags="-Zmiri-disable-isolation -Zmiri-strict-provenance -Zmiri-many-seeds=0..${MIRI_SEEDS:-$((full ? 4 : 1))}"
miri=("${with[@]}" cargo miri test)
iterators=(-p sumac-par --test small)
others=(-p sumac -p sumac-batch --test small --test small_tasks --test small_structures)
"${miri[@]}" -p sumac-par "${others[@]}" --no-run
again=(-p sumac --test small)
[[ -z $full ]] || again=("${others[@]}")

stacked() { MIRIFLAGS=$flags tests "${miri[@]}" "$@"; }
tree() { MIRIFLAGS="$flags -Zmiri-tree-borrows" tests "${miri[@]}" "$@"; }

# Miri uses one processor, so the iterators, which take half of the time, run beside the rest.
log=$(mktemp) status=0
trap 'rm -f "$log"' EXIT
{ stacked "${iterators[@]}" && { [[ -z $full ]] || tree "${iterators[@]}"; }; } >"$log" 2>&1 &
iterators_job=$!
stacked "${others[@]}" || status=$?
echo "-- tree borrows"
tree "${again[@]}" || status=$?
echo "-- tests inside the crates"
# They drop pools and do not wait for their threads, which may be a leak to Miri. One takes minutes.
# Unless all is asked for, others that take long are left out, and those of the structures, which
# have no unsafe code: the small programs run them with the scheduler.
slow=(--skip whatever_the_choices)
[[ -n $full ]] || slow+=(--skip tasks_that_others_join --skip in_chains --skip structures::)
MIRIFLAGS="$flags -Zmiri-ignore-leaks" tests "${miri[@]}" -p sumac-core -p sumac-par -p sumac-batch --lib -- \
    "${slow[@]}" || status=$?
wait $iterators_job || status=$?
echo "-- the iterators"
cat "$log"
[[ $status == 0 ]] || exit "$status"

echo "-- a system where thread-locals begin anew after their destructors"
# There each thread's word stays for good (word.rs), which is a leak to Miri.
MIRIFLAGS="$flags -Zmiri-ignore-leaks" tests "${with[@]}" cargo miri test -p sumac --test small_ends \
    --target x86_64-pc-windows-gnu
