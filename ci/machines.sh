#!/usr/bin/env bash
# Odd machines: quotas of processor time and sets of processors, as containers have them, which need
# root; threads and calls that the system refuses; pools of up to a thousand threads. Says what of
# it could not be had.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[[ $host == *-linux-* ]] || skip machines "they are made of what Linux has"
log=$(mktemp)
tests cargo test -p sumac --test machines -- --include-ignored --nocapture | tee "$log"
while read -r what; do
    notice machines "$what"
done < <(sed -n 's/^.*SKIPPED: //p' "$log")
rm -f "$log"
