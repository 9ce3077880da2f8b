#!/usr/bin/env bash
# The adders (adders/README.md): builds all that can be built here, runs each on few bytes and many
# ranks, on awkward numbers of ranks and on tiny messages, lets each fail in every way there is and
# looks how it ends, and has the lab's manager compare them.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

adders/build.sh
programs=$target/adders
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
failed=0
fail() { echo "error: $*"; failed=1; }

tests cargo test -q --locked -p sumac-adders

# add ADDER KERNELS SIZE: the program's output. SUM and CHUNK are the caller's.
add() {
    local start=()
    case $1 in
    sumac | rust-rayon | floor) export ADDER_THREADS=$2 ;;
    *) start=("$programs/mpiexec" -n "$2") ADDER_THREADS=1 ;;
    esac
    export ADDER_THREADS
    timeout 30 "${start[@]}" "$programs/$1" "$files/$3" "${4:-$3}" </dev/null
}

# How many bytes and ranks; `ci/test.sh full` takes more of each.
sizes=(0 1 1000 300007) ranks=(1 8) awkward=(5)
[[ -z $full ]] || { sizes=(0 1 3 1000 300007) ranks=(1 3 8) awkward=(5 6 7); }
ready=()
for adder in c rust-mpi-binding rust-mpi-abi rust-mpi-wrapper sumac-mpi julia sumac rust-rayon floor; do
    [[ ! -x $programs/$adder ]] || ready+=("$adder")
done

export ADDER_WARM=1
for size in "${sizes[@]}"; do
    head -c "$size" /dev/urandom >"$files/$size"
    sum=$(od -An -v -tu1 -w1 "$files/$size" | awk '{ sum += $1 } END { printf "%d", sum }')
    # Small messages for few bytes, several for more.
    export ADDER_CHUNK=$((size > 1000 ? 65536 : 7))
    for kernels in "${ranks[@]}"; do
        for adder in "${ready[@]}"; do
            for mode in shared messages; do
                if [[ $adder != sumac-mpi ]]; then
                    [[ $mode == shared ]] || continue
                    mode=tree
                fi
                said=$(ADDER_MODE=$mode add "$adder" "$kernels" "$size") || fail "$adder, $kernels kernels, $size bytes: exit code $?"
                [[ $said == *"\"sum\":$sum,"* ]] || fail "$adder, $kernels kernels, $size bytes: '$said', expected $sum"
            done
        done
    done
done
# The first comparison's method knows no fewer bytes than ranks, and says so.
for adder in c-first rust-mpi-binding rust-mpi-abi rust-mpi-wrapper julia; do
    [[ -x $programs/$adder ]] || continue
    for kernels in 1 3 "${awkward[@]}"; do
        said=$(ADDER_MODE=first add "$adder" "$kernels" 300007) || fail "$adder, first method, $kernels kernels: exit code $?"
        [[ $said == *"-first\",\"sum\":$sum,"* ]] || fail "$adder, first method, $kernels kernels: '$said', expected $sum"
    done
    said=$(ADDER_MODE=first add "$adder" 3 1 2>&1) && fail "$adder adds one byte on three ranks by the first method"
    [[ $said == *"not between the number of ranks"* ]] || fail "$adder, one byte on three ranks: '$said'"
    [[ $adder == c-first ]] || ! ADDER_MODE=last add "$adder" 2 300007 2>/dev/null || fail "$adder knows a last method"
done
# What constants cost: all calls answer rightly, and no loads beyond the known ones come in.
if [[ -x $programs/c ]]; then
    adders/constants.sh mpich 1 >"$files/constants" || fail "constants: exit code $?"
    [[ $(grep -cE '^(c|binding|wrapper|roomy|held) +(probe|count|trip) +[0-9.]+ \[' "$files/constants") == 13 ]] || fail "constants: $(tail -n 12 "$files/constants")"
    if command -v valgrind >/dev/null; then
        awk '$1 == "wrapper" && $2 == "count" && $8 > 9 { exit 1 }' "$files/constants" || fail "the wrapper's call has become longer: $(grep wrapper "$files/constants")"
    fi
fi
# Awkward numbers of ranks.
for kernels in "${awkward[@]}"; do
    for adder in "${ready[@]}"; do
        said=$(add "$adder" "$kernels" 300007) || fail "$adder, $kernels kernels: exit code $?"
        [[ $said == *"\"sum\":$sum,"* ]] || fail "$adder, $kernels kernels: '$said', expected $sum"
    done
done

# ends ADDER WHAT CODES WORDS COMMAND...: it fails within ten seconds with one of these exit codes,
# and says these words.
ends() {
    local adder=$1 what=$2 codes=$3 words=$4 said status=0 begin=$SECONDS
    shift 4
    said=$("$@" 2>&1) || status=$?
    [[ $status =~ ^($codes)$ ]] || fail "$adder, $what: exit code $status"
    [[ $((SECONDS - begin)) -le 10 ]] || fail "$adder, $what: took $((SECONDS - begin)) s"
    grep -qE "$words" <<<"$said" || fail "$adder, $what: said '$said'"
}

# killed ADDER: one rank of three is killed in the midst of adding.
killed() {
    local victim status=0
    ADDER_WARM=1000000 ADDER_THREADS=1 timeout 60 "$programs/mpiexec" -n 3 "$programs/$1" "$files/300007" 300007 </dev/null &
    local launcher=$!
    sleep 2
    # The programs' own processes, found by the file that is only theirs.
    victim=$(pgrep -f "^[^ ]*(julia|$1)[^ ]* .*$files/300007 300007" | tail -n 1)
    kill -9 "$victim" || true
    wait "$launcher" || status=$?
    return "$status"
}

for adder in "${ready[@]}"; do
    for mode in shared messages; do
        export ADDER_MODE=$mode
        [[ $adder == sumac-mpi ]] || unset ADDER_MODE
        # More than once: which rank the launcher hears of first is chance.
        for _ in 1 2 3 4 5; do
            ends "$adder" "wrong size" 1 'has 1000 bytes, expected 1001' add "$adder" 3 1000 1001
            [[ $adder == sumac-mpi ]] || break
        done
        ends "$adder" "missing file" 1 '[Nn]o such file' add "$adder" 3 nowhere 1000
        ends "$adder" "no size" 1 'not a number' add "$adder" 3 1000 many
        [[ $adder == sumac-mpi ]] || break
    done
    unset ADDER_MODE
    case $adder in
    sumac | rust-rayon | floor) ;;
    # The launcher's own exit code: there is no other witness.
    *) ends "$adder" "killed rank" '[1-9]|[1-9][0-9]|13[0-9]' '.' killed "$adder" ;;
    esac
done
[[ $failed == 0 ]] || exit 1

build_lab
"$lab" adders single --kernel-count 2 --input-size 1000000 --rounds 2 --warm 2 --timeout 30 --out "$files/single"
"$lab" adders single --kernel-count 3 --input-size 1000000 --rounds 2 --warm 2 --timeout 30 --out "$files/first" \
    --adders c-first,rust-mpi-binding-first,rust-mpi-wrapper-first,julia-first
rm -rf "$target/adders-report"
"$lab" adders full --quick --warm 2 --timeout 30 --out "$target/adders-report" >"$files/quick"
tail -n 12 "$files/quick"
# What does not run at all is not hidden.
if MPIEXEC=/nowhere "$lab" adders single --kernel-count 2 --input-size 9 --programs "$files" --out "$files/none" 2>"$files/said"; then
    fail "no adder is there, and that is not said"
fi
grep -q 'adders/build.sh' "$files/said" || fail "no adder is there, and not what to do: $(cat "$files/said")"
[[ $failed == 0 ]] || exit 1
[[ -x $programs/c ]] || exit 77
