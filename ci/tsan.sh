#!/usr/bin/env bash
# The tests and a short stress run under ThreadSanitizer. std has to be rebuilt with it, or its
# locks look like races: that needs std's source. Nor does it know of barriers that the system
# issues on other processors: so no thread promotes frames of others here (`tsan`).
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [[ ! -e $(rustc --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock ]]; then
    toolchain "$stable" -c rust-src || skip tsan "the source of std cannot be had"
fi
export CARGO_PROFILE_DEV_DEBUG=line-tables-only
export RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=thread --cfg tsan" TSAN_OPTIONS=atexit_sleep_ms=0 SUMAC_HISTORIES=100
options=(-Zbuild-std --target "$host" --target-dir "$target/tsan")
# ThreadSanitizer keeps a call stack of its own, of 65,536 frames: deeper recursions cannot run
# under it, and frames of checked functions are larger. Nor does it support threads that a child of
# fork(2) starts.
skipped=("${long[@]}" --skip lists_of_a_hundred_thousand_joins --skip a_joined_task_takes_little_stack
    --skip child_of_fork_starts_no_threads_beside_those_of_its_parent)
for programs in public batch par; do
    declare -n these=$programs
    tests "${with[@]}" cargo test --no-fail-fast "${these[@]}" "${options[@]}" -- "${skipped[@]}"
done
"${with[@]}" cargo run -p sumac --example stress "${options[@]}" -- --joins 1000000 --threads 2,8
"${with[@]}" cargo run -p sumac-programs "${options[@]}" -- --on take-part,wait,mixed --seconds 10
