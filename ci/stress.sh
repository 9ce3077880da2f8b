#!/usr/bin/env bash
# Random trees of joins with random panics on several pools and foreign threads, against a
# sequential oracle. STRESS_JOINS sets how many joins there are in all: 10^8 here, 10^10 before a
# release. Then random programs of all operations (crates/programs) for STRESS_SECONDS (20; full: an
# hour), from STRESS_SEED on (1; full: the time): on sumac's pools, on rayon, and on sumac under
# rayon. What ends on rayon must end on all.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cargo run --release -p sumac --example stress -- --joins "${STRESS_JOINS:-100000000}" --threads 1,2,3,4,8,32

seconds=${STRESS_SECONDS:-$((full ? 3600 : 20))}
from=(--seed "${STRESS_SEED:-$((full ? $(date +%s) : 1))}")
cargo run --release -p sumac-programs -- "${from[@]}" --seconds $((seconds * 3 / 4))

# The same program in a workspace in which rayon's scheduler is replaced, with the same versions.
work=$target/programs-under-rayon
mkdir -p "$work"
{
    printf '[package]\nname = "programs-under-rayon"\nedition = "2024"\n'
    printf '[[bin]]\nname = "programs-under-rayon"\npath = "%s"\n' "$PWD/crates/programs/src/main.rs"
    sed -n '/^\[dependencies\]/,/^$/p' crates/programs/Cargo.toml |
        sed -E "s:^(sumac|sumac-(.*))\.workspace = true:\1 = { path = \"$PWD/crates/\1\" }:; s:/sumac-:/:"
    printf '[workspace]\n[patch.crates-io]\nrayon-core = { path = "%s" }\n' "$PWD/crates/rayon-core"
} >"$work/Cargo.toml"
cp Cargo.lock "$work/"
under=("$target/release/programs-under-rayon" --on rayon)
cargo build --release --manifest-path "$work/Cargo.toml"
said=$(SUMAC_ANNOUNCE=1 "${under[@]}" --programs 3 2>&1)
grep -q '^sumac .* runs rayon: a pool with' <<<"$said" || { echo "error: they ran on another scheduler: $said"; exit 1; }
echo "on sumac under rayon:"
"${under[@]}" "${from[@]}" --seconds $((seconds / 4))
