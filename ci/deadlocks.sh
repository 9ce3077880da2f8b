#!/usr/bin/env bash
# Published deadlocks of programs that use rayon (lab/deadlocks): each must end on sumac's
# scheduler. On rayon's they hang, some by chance; if fewer than ten do, they show nothing.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

build_lab
log=$target/deadlocks.log
"$lab" deadlocks --patience 1.5 | tee "$log"
hung=$(grep -cE '^\| .* \| +hangs[^|]* \| +[0-9]+ rounds' "$log" || true)
echo "$hung hang on rayon, and end on sumac"
[[ $hung -ge 10 ]] || { echo "error: too few hang on rayon"; exit 1; }
