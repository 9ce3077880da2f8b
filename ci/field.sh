#!/usr/bin/env bash
# Six of the crates that others wrote, with sumac under rayon and without (field/README.md): they
# print the same, their tests pass, and what is wrong is told. The whole list is `lab field`.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

work=$target/field
build_lab
mkdir -p "$work"
rm -f "$work"/*.jsonl*
status=0
lab_field() { "$lab" field --folder "$work" --restart "$@" 2>"$work/said"; }
lab_field --sample --rounds 2 --out "$work/sample.jsonl" >"$work/sample.md" || status=$?
cat "$work/sample.md" "$work/said"
unreachable='failed to (download|fetch|get|query)|offline|Could not resolve'
if [[ $status != 0 ]] && grep -qE "$unreachable" "$work/said"; then
    skip field "the crates cannot be had"
fi
[[ $status == 0 ]] || exit "$status"
rows=$(grep -c '^| [a-z].* | ' "$work/sample.md")
[[ $rows == 7 ]] || { echo "error: not six crates and a head: $rows rows"; exit 1; }

# A program that prints something else, one that hangs, one that fails and one that is not what it
# is said to be are found out. planted WHAT WORDS: puts standard input in the place of diskus with
# sumac, and expects these words.
planted() {
    cp "$work/sumac/programs/diskus" "$work/kept"
    cat >"$work/sumac/programs/diskus.new"
    chmod +x "$work/sumac/programs/diskus.new"
    mv "$work/sumac/programs/diskus.new" "$work/sumac/programs/diskus"
    if lab_field diskus --run --rounds 1 --timeout 3 --out "$work/planted.jsonl" >/dev/null; then
        echo "error: lab field says nothing of a program that $1"
        exit 1
    fi
    mv "$work/kept" "$work/sumac/programs/diskus"
    grep -q "diskus .*: with sumac it $2" "$work/said" && return
    echo "error: it $1, and this is said:"
    cat "$work/said"
    exit 1
}
line='echo "sumac 0 runs rayon: a pool with 2 threads" >&2'
planted "prints something else" "prints something else" <<<"#!/bin/sh
$line; echo 7"
planted "hangs" "fails: no result" <<<"#!/bin/sh
$line; kill -STOP \$\$"
planted "is run by rayon" "is not run by sumac" <"$work/rayon/programs/diskus"
planted "fails" "fails: exit status" <<<"#!/bin/sh
exit 3"
echo "4 passed, 0 failed: what is planted is found out"
