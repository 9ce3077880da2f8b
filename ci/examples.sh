#!/usr/bin/env bash
# The examples run, and their assertions hold.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for example in crates/sumac/examples/[0-9]*.rs; do
    name=$(basename "$example" .rs)
    echo "-- $name"
    timeout 60 cargo run -q -p sumac --features profile,trace,jobserver --example "$name"
done

echo "-- sample_sort, on 1, 3 and 7 ranks"
said=$(for ranks in 1 3 7; do
    SUMAC_MPI_RANKS=$ranks timeout 60 cargo run -q -p sumac-mpi --example sample_sort
done)
echo "$said"
[[ $(grep -oE 'digest [0-9a-f]{16}' <<<"$said" | sort | uniq -c) =~ ^\ *3\  ]] || { echo "error: digests differ"; exit 1; }
