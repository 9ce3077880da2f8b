#!/usr/bin/env bash
# Unit, integration and documentation tests of the libraries, with debug assertions.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# The step `optimised` looks through many more histories of batches.
[[ -n $full ]] || export SUMAC_HISTORIES=${SUMAC_HISTORIES:-100}
tests cargo test --no-fail-fast "${libraries[@]/#/-p}"
tests cargo test --no-fail-fast --manifest-path "$rayon" --workspace
