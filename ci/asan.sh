#!/usr/bin/env bash
# The tests and a short stress run under AddressSanitizer, looking also for uses of a stack frame
# after its function has returned (our frames are jobs!) and, through LeakSanitizer, for leaks.
# Works on the stable toolchain.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

export CARGO_PROFILE_DEV_DEBUG=line-tables-only
export RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address SUMAC_HISTORIES=100
# Looking for those, it keeps locals elsewhere: what a task takes of the stack is not measured.
export ASAN_OPTIONS=detect_stack_use_after_return=1:detect_leaks=1
options=(--target "$host" --target-dir "$target/asan")
# Deep recursions take long with these locals.
[[ -n $full ]] || long+=(--skip lists_of_a_hundred_thousand_joins)
tests cargo test --no-fail-fast "${public[@]}" "${options[@]}" -- "${long[@]}" \
    --skip user_code_in --skip little_stack --skip forgotten_early
tests cargo test --no-fail-fast "${batch[@]}" "${options[@]}" -- "${long[@]}" --skip attacks:: --skip hostile::
tests cargo test --no-fail-fast "${par[@]}" "${options[@]}"
# These forget futures, iterators and panics on purpose, or panic in destructors: a value that was
# computed then leaks where the compiler drops what a function leaves.
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 tests cargo test -p sumac-batch --test batched "${options[@]}" -- attacks:: hostile::
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 tests cargo test -p sumac --test hostile "${options[@]}" user_code_in
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 tests cargo test -p sumac --test behaviour "${options[@]}" forgotten_early
cargo run -p sumac --example stress "${options[@]}" -- --joins 1000000 --threads 2,8
cargo run -p sumac-programs "${options[@]}" -- --on take-part,wait,mixed --seconds 10
