#!/usr/bin/env bash
# Unsafe code lives in crates/core/src and in the files that ARCHITECTURE.md lists (in backticks,
# under a heading with the word "unsafe"), and nowhere else; the compiler is told so in the root of
# every other library and program.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# shellcheck disable=SC2016
listed=$(awk '/^#/ { on = tolower($0) ~ /unsafe/ } on' ARCHITECTURE.md | grep -oE '`[^` ]+\.rs`' | tr -d '`' || true)
failed=0
fail() { echo "error: $*"; failed=1; }

for file in $listed; do
    [[ -e $file ]] || fail "ARCHITECTURE.md lists $file, which does not exist"
done
while read -r file; do
    if [[ $file == crates/core/src/* ]] || grep -qxF "$file" <<<"$listed"; then continue; fi
    # Comments may use the word.
    if sed 's://.*::' "$file" | grep -nE '\bunsafe\b'; then
        fail "$file has unsafe code but is not listed in ARCHITECTURE.md"
    fi
done < <(sources '*.rs')

roots=$(for manifest in Cargo.toml "$rayon" extensions/Cargo.toml; do
    cargo metadata --no-deps --format-version 1 --manifest-path "$manifest"
done | grep -oE '"src_path":"[^"]+"' | cut -d'"' -f4 | sed "s:^$PWD/::" |
    grep -E '/src/' | grep -v '^crates/core/')
# A crate with a listed file cannot forbid: it denies, and the file allows.
while read -r root; do
    level=forbid
    if grep -q "^${root%/*}/" <<<"$listed"; then level='(forbid|deny)'; fi
    grep -qE "^#!\[$level\(unsafe_code\)\]" "$root" || fail "$root lacks #![forbid(unsafe_code)]"
done <<<"$roots"
exit "$failed"
