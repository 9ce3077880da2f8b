#!/usr/bin/env bash
# The library compiles for systems that platforms.sh cannot run, and its tests run as 32-bit
# programs here.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

narrow=i686-unknown-linux-musl
options=(-p sumac-core -p sumac-par -p sumac-batch -p sumac --target-dir "$target/portability")
ready=()
for system in aarch64-apple-darwin x86_64-pc-windows-msvc "$narrow"; do
    echo "-- $system"
    toolchain "$stable" -t "$system" || { notice portability "std for $system cannot be had"; continue; }
    ready+=("$system")
    "${with[@]}" cargo check "${options[@]}" --target "$system"
done
[[ ${#ready[@]} -gt 0 ]] || exit 77

[[ " ${ready[*]} " == *" $narrow "* ]] || exit 0
export RUSTFLAGS="-Clinker=rust-lld -Clink-self-contained=yes"
i686=(--target "$narrow" --target-dir "$target/portability")
# Of what counts and packs into words, the programs that build soon; of the iterators, what counts
# positions.
[[ -n $full ]] || batch=(-p sumac-batch --test small --test small_structures) par=(-p sumac-par --lib --test collect --test searches) \
    public=(-p sumac-core -p sumac --lib --test splitting --test behaviour --test callers_wait --test small --test small_tasks)
for programs in public batch par; do
    declare -n these=$programs
    tests "${with[@]}" cargo test --no-fail-fast "${these[@]}" "${i686[@]}" -- "${long[@]}"
done
