#!/usr/bin/env bash
# The workflows of hosted machines (.github/workflows) are what their language allows, says
# actionlint, and name scripts and steps that are there.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mapfile -t workflows < <(sources '.github/workflows/*.yml')
[[ ${#workflows[@]} -gt 0 ]] || { echo "error: no workflow"; exit 1; }
while read -r script; do
    [[ -x $script ]] || { echo "error: a workflow calls $script, which is not there"; exit 1; }
done < <(grep -ohE 'ci/[a-z-]+[.]sh' "${workflows[@]}")
steps=$(ci/test.sh --list)
while read -r step; do
    grep -qxF -- "$step" <<<"$steps" || { echo "error: a workflow runs the step '$step', which is not there"; exit 1; }
done < <(sed -nE 's/.*run: ci\/test[.]sh +//p' "${workflows[@]}" | tr ' ' '\n')

version=1.7.12
actionlint=$(type -P actionlint || true)
if [[ -z $actionlint ]]; then
    actionlint=$target/tools/actionlint
    [[ -x $actionlint ]] || { command -v go >/dev/null && GOBIN=$target/tools timeout 240 go install "github.com/rhysd/actionlint/cmd/actionlint@v$version"; } ||
        skip actions "actionlint cannot be had"
fi
"$actionlint" "${workflows[@]}"
echo "${#workflows[@]} passed, 0 failed"
