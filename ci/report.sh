#!/usr/bin/env bash
# Documents are what the results say and have no numbers that were typed.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

build_lab
"$lab" report --check
