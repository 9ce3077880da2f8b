#!/usr/bin/env bash
# Runs the checkers of this folder to the end, then sums up; fails if any of them failed.
#   ci/test.sh                   formatting, lints, and all tests: what a change must pass first
#   ci/test.sh all               every checker, the slow ones on a sample
#   ci/test.sh full [STEP...]    every checker, or those named, whole
#   ci/test.sh STEP...           those named, in this order
#   ci/test.sh --list            their names
# With CI=true each step has a limit of time, and SUMAC_CI_LIMIT bounds all together, in seconds;
# else neither: how long builds take, only the machine knows, and tests that could hang have limits
# of their own.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# In order: each with its limit in seconds, and the folders of target/ that no later one needs. The
# first six are the quick ones. Those from `miri` on build each in a folder of its own;
# those from `mpi` to there run ranks that never sleep, or compare speeds, and want all processors.
table="
words 60
unsafe 60
fmt 240
clippy 600
docs 300 doc
unit 1200
lab 900
package 600 package
api 600 api
actions 300
deny 900 tools
features 900
deadlocks 600 lab
field 1200 field
readme 900
report 900 report
examples 300
instructions 900 fat no-lto o2 os aarch64-unknown-linux-musl musl
size 600 size-package
stress 2700 release programs-under-rayon
mpi 900
machines 600
adders 900 adders adders-report julia
hosts 900 debug mpi
miri 2400 miri
tsan 1500 tsan
optimised 1200 optimised
asan 1200 asan
loom 1200 loom
extensions 600 extensions
portability 900 portability
platforms 900 platforms
explore 1800 explore
under-rayon 900 under-rayon
by-rename 600 by-rename
msrv 480 msrv
"
all=() quick=6 apart=() from=''
while read -r step _; do
    [[ -z $step ]] || all+=("$step")
done <<<"$table"
# of STEP: the rest of its line in the table; false if it has none.
of() { awk -v step="$1" '$1 == step { $1 = ""; print; found = 1 } END { exit !found }' <<<"$table"; }
for script in ci/*.sh; do
    name=$(basename "$script" .sh)
    [[ $name == lib || $name == setup-* || $name == test ]] || of "$name" >/dev/null || { echo "error: $script is not listed in ci/test.sh"; exit 1; }
done

if [[ ${1:-} == --list ]]; then
    printf '%s\n' "${all[@]}"
    exit
fi
steps=("$@")
case ${1:-} in
'')
    steps=("${all[@]:0:quick}")
    echo "On two idle cores some five minutes, mostly of building, and 2 GB in $target."
    ;;
all)
    steps=("${all[@]}")
    # On a CI machine with several processors those that can run beside the others, by a run of
    # this script that shows its output in the end, and by this one when it has time.
    [[ ${CI:-} != true || $(nproc) == 1 ]] || from=miri
    ;;
full)
    export SUMAC_CI_FULL=1 SUMAC_CI_LIMIT=${SUMAC_CI_LIMIT:-18000}
    shift
    steps=("${all[@]}")
    [[ $# == 0 ]] || steps=("$@")
    ;;
esac
for step in "${steps[@]}"; do
    of "$step" >/dev/null || { echo "error: no step '$step'; the steps are: ${all[*]}"; exit 2; }
done

# free: the megabytes that are free where target/ is.
free() { df -Pk "$target" | awk 'NR == 2 { for (i = 2; i <= NF; i++) if ($i ~ /%$/) printf "%d", $(i - 1) / 1024 }'; }
# More megabytes than a run on a CI machine fills: else the linker fails somewhere, and says why
# nowhere.
room=8192
if [[ ${CI:-} == true && $(free) -lt $room ]]; then
    echo "error: $(free) MB are free for $target, and the steps need $room"
    exit 1
fi
rm -f "$toolchains/unreachable"
SUMAC_CI_NOTICES=$(mktemp)
export SUMAC_CI_NOTICES
logs=$(mktemp -d)
# What is built once needs neither. Sanitizers, which print backtraces, ask for lines.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=none

# Job control gives each step a process group of its own, which we end with us.
set -m
job='' shown='' beside=''
# What steps leave among temporary files goes with them; the run beside has a folder of its own.
temporary=$(mktemp -d)
trap 'rm -rf "$SUMAC_CI_NOTICES" "$logs" "$temporary"' EXIT
trap 'for group in $job $shown $beside; do kill -- "-$group"; done; echo interrupted; exit 130' INT TERM

if [[ -n $from ]]; then
    here=()
    while [[ ${steps[0]} != "$from" ]]; do here+=("${steps[0]}") steps=("${steps[@]:1}"); done
    # That begins with the longest, and this one later with the shortest.
    for step in "${steps[@]}"; do apart=("$step" "${apart[@]}"); done
    export SUMAC_CI_BEGUN=$logs/begun
    mkdir "$SUMAC_CI_BEGUN"
    ci/test.sh "${steps[@]}" </dev/null >"$logs/beside" 2>&1 &
    beside=$! steps=("${here[@]}")
fi
export TMPDIR=$temporary

# Waits for the run beside. What failed meanwhile in what both share runs again,
# alone: a limit of time may have struck.
again=()
wait_beside() {
    if ! wait "$beside"; then
        local there
        mapfile -t there < <(sed '1,/^==== summary/d' "$logs/beside" | awk '$2 == "FAILED" { print $1 }')
        [[ ${#there[@]} -gt 0 ]] || { echo "error: the run beside has ended without a summary"; exit 1; }
        again+=("${there[@]}")
    fi
    for step in "${again[@]}"; do rmdir "$SUMAC_CI_BEGUN/$step"; done
    steps=("${again[@]}" "${steps[@]}")
    beside=''
}

passed=0 failed=0 skipped=0 rows='' failures='' shared=''
deadline=$((SECONDS + ${SUMAC_CI_LIMIT:-5200}))
while [[ ${#steps[@]} -gt 0 ]]; do
    if [[ ${steps[0]} == mpi && -n $beside ]]; then
        if [[ -z $shared ]]; then
            steps=("${apart[@]}" "${steps[@]}") shared=" ${apart[*]} "
        else
            wait_beside
        fi
    fi
    step=${steps[0]} steps=("${steps[@]:1}")
    [[ -z ${SUMAC_CI_BEGUN:-} ]] || mkdir "$SUMAC_CI_BEGUN/$step" 2>/dev/null || continue
    printf '\n==== %d s: %s, before %d others: ci/%s.sh ====\n' "$SECONDS" "$step" ${#steps[@]} "$step"
    begin=$SECONDS left=$((deadline - SECONDS)) status=0
    read -r seconds folders <<<"$(of "$step")"
    seconds=$((seconds * (${SUMAC_CI_FULL:-0} + 1)))
    limited=(timeout --kill-after=10 $((left < seconds ? left : seconds)))
    [[ ${CI:-} == true ]] || limited=(env)
    : >"$logs/$step"
    if [[ ${CI:-} == true && $left -le 0 ]]; then
        echo "no time left" | tee "$logs/$step"
        status=124
    else
        "${limited[@]}" "ci/$step.sh" </dev/null >>"$logs/$step" 2>&1 &
        job=$!
        tail -n +1 -f "$logs/$step" &
        shown=$!
        wait "$job" || status=$?
        # It has shown the rest by then.
        sleep 0.3
        kill "$shown"
        { wait "$shown" || true; } 2>/dev/null
        job='' shown=''
    fi
    find "$TMPDIR" -mindepth 1 -delete || true
    # The run beside deletes files meanwhile, of which du complains.
    filled=$({ du -sk "$target" 2>/dev/null || true; } | cut -f 1)
    filled=$((${filled:-0} / 1024))
    [[ $status != 0 || ${CI:-} != true || $filled -le $room ]] || status=room
    case $status in
    0) result=passed passed=$((passed + 1)) ;;
    77) result=SKIPPED skipped=$((skipped + 1)) ;;
    room) result="FAILED (over $room MB)" failed=$((failed + 1)) ;;
    124 | 137) result="FAILED (out of time)" failed=$((failed + 1)) ;;
    *) result="FAILED (status $status)" failed=$((failed + 1)) ;;
    esac
    if [[ $result == FAILED* && -n $beside && $shared == *" $step "* ]]; then
        again+=("$step") failed=$((failed - 1)) result="failed, runs again"
    fi
    [[ $result != FAILED* ]] || failures+=" $step"
    row=$(printf '%-14s %-22s %5d s %7d MB, %d MB free' "$step" "$result" $((SECONDS - begin)) "$filled" "$(free)")
    rows+=$row$'\n'
    printf '==== %s ====\n' "$row"
    if [[ ${CI:-} == true ]]; then
        for folder in $folders; do rm -rf "${target:?}/$folder"; done
    fi
done

if [[ -n $from ]]; then
    printf '\n==== beside these ====\n'
    sed '/^==== summary/,$d' "$logs/beside"
fi

# What went wrong, once more where it is found: at the end.
for step in $failures; do
    printf '\n==== %s: what looks like the reason, and the end ====\n' "$step"
    grep -nE -A 4 'panicked at|FAILED|^error|ERROR: |WARNING: ThreadSanitizer' "$logs/$step" | cut -c -300 | head -n 60 || true
    echo ...
    tail -n 15 "$logs/$step" || true
done

printf '\n==== summary, %d s ====\n' "$SECONDS"
printf '%s' "$rows"
cat "$SUMAC_CI_NOTICES"
# Of long logs often only the end is kept.
for step in $failures; do
    echo "$step:"
    grep -hE -A 1 'panicked at|\.\.\. FAILED|^error|ERROR: |WARNING: ThreadSanitizer' "$logs/$step" | cut -c -200 | tail -n 8 || true
done
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[[ -z $from ]] || sed -n '/^==== summary/,$p' "$logs/beside"
[[ $failed == 0 ]]
