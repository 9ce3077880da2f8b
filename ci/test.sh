#!/usr/bin/env bash
# Runs the checkers of this folder to the end, then sums up; fails if any of them failed.
#   ci/test.sh                   formatting, lints, and all tests: what a change must pass first
#   ci/test.sh all               every checker, the slow ones on a sample
#   ci/test.sh full [STEP...]    every checker, or those named, whole
#   ci/test.sh STEP...           those named, in this order
#   ci/test.sh --list            their names
# SUMAC_CI_LIMIT bounds all steps together, in seconds.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# In order, each with its time limit in seconds: a hang is a failure. The first six are the quick
# ones.
limits=(words 60 unsafe 60 fmt 240 clippy 600 docs 300 unit 1200
    features 900 optimised 900 msrv 480 instructions 900 under-rayon 900 by-rename 600
    deadlocks 600 field 1200 readme 900 report 900 examples 300 loom 600 explore 1800
    portability 900 platforms 900 mpi 900 adders 900 hosts 900 asan 900 tsan 900 miri 900 stress 900)
declare -A limit
all=()
for ((i = 0; i < ${#limits[@]}; i += 2)); do
    all+=("${limits[i]}")
    limit[${limits[i]}]=${limits[i + 1]}
done
for script in ci/*.sh; do
    name=$(basename "$script" .sh)
    [[ $name == lib || $name == setup-* || $name == test || ${limit[$name]:-} ]] || { echo "error: $script is not listed in ci/test.sh"; exit 1; }
done

if [[ ${1:-} == --list ]]; then
    printf '%s\n' "${all[@]}"
    exit
fi
steps=("$@")
case ${1:-} in
'') steps=("${all[@]:0:6}") ;;
all) steps=("${all[@]}") ;;
full)
    export SUMAC_CI_FULL=1 SUMAC_CI_LIMIT=${SUMAC_CI_LIMIT:-14400}
    steps=("${@:2}")
    [[ $# -gt 1 ]] || steps=("${all[@]}")
    ;;
esac
for step in "${steps[@]}"; do
    [[ ${limit[$step]:-} ]] || { echo "error: no step '$step'; the steps are: ${all[*]}"; exit 2; }
done

mkdir -p "$target"
rm -f "$toolchains/unreachable"
SUMAC_CI_NOTICES=$(mktemp)
export SUMAC_CI_NOTICES
logs=$(mktemp -d)
# What is built once needs neither. Sanitizers, which print backtraces, ask for lines.
[[ ${CI:-} != true ]] || export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=none

# Job control gives each step a process group of its own, which we end with us.
set -m
job=
trap 'rm -rf "$SUMAC_CI_NOTICES" "$logs"' EXIT
trap '[[ -z $job ]] || kill "$job"; echo interrupted; exit 130' INT TERM

passed=0 failed=0 skipped=0 table=() failures=()
deadline=$((SECONDS + ${SUMAC_CI_LIMIT:-5200}))
for step in "${steps[@]}"; do
    printf '\n==== %s: ci/%s.sh ====\n' "$step" "$step"
    begin=$SECONDS left=$((deadline - SECONDS)) status=0
    if [[ $left -gt 0 ]]; then
        seconds=$((limit[$step] * (${SUMAC_CI_FULL:-0} + 1)))
        seconds=$((left < seconds ? left : seconds))
        : >"$logs/$step"
        timeout --kill-after=10 "$seconds" "ci/$step.sh" </dev/null >>"$logs/$step" 2>&1 &
        job=$!
        tail -n +1 -f --pid="$job" "$logs/$step" &
        wait "$job" || status=$?
        wait $! || true
        job=
    else
        echo "no time left" >"$logs/$step"
        status=124
    fi
    case $status in
    0) result=passed passed=$((passed + 1)) ;;
    77) result=SKIPPED skipped=$((skipped + 1)) ;;
    124 | 137) result="FAILED (out of time)" failed=$((failed + 1)) ;;
    *) result="FAILED (status $status)" failed=$((failed + 1)) ;;
    esac
    [[ $result != FAILED* ]] || failures+=("$step")
    table+=("$(printf '%-14s %-22s %5d s' "$step" "$result" $((SECONDS - begin)))")
    printf '==== %s: %s after %d s ====\n' "$step" "$result" $((SECONDS - begin))
done

# What went wrong, once more where it is found: at the end.
for step in "${failures[@]}"; do
    printf '\n==== %s: what looks like the reason, and the end ====\n' "$step"
    grep -nE -A 4 'panicked at|FAILED|^error|ERROR: |WARNING: ThreadSanitizer' "$logs/$step" | cut -c -300 | head -n 60 || true
    echo ...
    tail -n 15 "$logs/$step" || true
done

printf '\n==== summary, %d s ====\n' "$SECONDS"
printf '%s\n' "${table[@]}"
cat "$SUMAC_CI_NOTICES"
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[[ $failed == 0 ]]
