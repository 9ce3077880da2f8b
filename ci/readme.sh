#!/usr/bin/env bash
# What README promises at the command line: the tour ends well within two minutes, and the lab
# accepts every command shown there. (The programs in README run as documentation tests of
# crates/sumac.)
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

timeout 600 cargo build --release --locked
# A small tour, unless all is asked for.
size=()
[[ -n $full ]] || size=(--nodes 1023,65535 --rounds 5)
timeout 120 "$target/release/lab" "${size[@]}"
timeout 60 "$target/release/lab" tree --nodes 1023 --threads 2 --rounds 5
build_lab
# Asking for help after the arguments shows whether they are understood without running what may
# take long.
grep -ohE '^( {4})?cargo run --release [^#>|]*' README.md docs/costs.md lab/README.md adders/README.md results/FINDINGS.md |
    sed -n 's/.* -- //p' | tr -d '[]' | while read -r -a words; do
    echo "-- ${words[*]}"
    "$lab" "${words[@]}" --help >/dev/null
done
