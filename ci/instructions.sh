#!/usr/bin/env bash
# Counts the instructions per node of a 1,023-node tree with a join at every node, under callgrind: an exact guard of
# the hot path that needs no clock. The difference of two runs removes whatever happens once.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

command -v valgrind >/dev/null || debian valgrind || skip instructions "valgrind cannot be had"
cargo build --release -p sumac-lab

# collected CONTENDER REPETITIONS: the number of instructions of the whole run.
collected() {
    local log
    log=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        "$target/release/lab" callgrind --contender "$1" --reps "$2" 2>&1 </dev/null) || { echo "$log" >&2; return 1; }
    sed -nE 's/^==[0-9]+== Collected : ([0-9]+)$/\1/p' <<<"$log" | grep . || { echo "$log" >&2; return 1; }
}

failed=0
printf '%-12s %14s %8s %8s\n' contender instructions/node at-least at-most
# A baseline outside its bounds means that the program measured is no longer the one that the limits were set for.
while read -r contender low high; do
    few=$(collected "$contender" 200)
    many=$(collected "$contender" 1200)
    verdict=$(awk -v few="$few" -v many="$many" -v low="$low" -v high="$high" 'BEGIN {
        # To a tenth: the loop around the calls adds a hundredth.
        n = sprintf("%.1f", (many - few) / 1000 / 1023) + 0
        printf "%14.1f %8.1f %8.1f  %s", n, low, high, (n >= low && n <= high) ? "ok" : "FAILED" }')
    printf '%-12s %s\n' "$contender" "$verdict"
    [[ $verdict != *FAILED ]] || failed=1
done <<'LIMITS'
baseline 15 25
sumac-scope 15 34
sumac-join 15 42
LIMITS
exit "$failed"
