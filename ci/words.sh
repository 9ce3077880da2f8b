#!/usr/bin/env bash
# What no compiler checks: no unfinished business, no words for persons where threads are meant, no
# hosts of package registries and no paths of one machine in any file; no dead relative link and no
# path in ARCHITECTURE.md or docs/inside.md that is not there; no file over 480 lines, but for the
# two traits with a hundred methods, which cannot be divided, and documents made of results.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

files=()
while IFS= read -r file; do files+=("$file"); done < <(sources ':!*Cargo.lock')
failed=0
fail() { echo "error: $*"; failed=1; }

# Brackets keep the patterns from matching themselves.
words='\b(TOD[O]|FIXM[E]|XX[X])\b|\b(tod[o]|unimplemente[d])!'
paths='(^|[^[:alnum:]_.])/(wor[k]|hom[e]|roo[t])/'
hosts='crates[.]io\b|\b(static|index|registry|proxy|deb|security|files|repo1?)[.][a-z0-9-]+[.](org|io|com|net)\b'
if grep -nIE "$words|$paths|$hosts" -- "${files[@]}"; then fail "words that do not belong in the project"; fi

# Threads, tasks, ranks and callers are called so, and no persons.
if grep -nIwiE 'no[b]ody|some[b]ody|any[b]ody|who[e]ver' -- $(sources ':!results' ':!*.lock' ':!CHANGELOG.md' ':!LICENSE*' ':!lab/BIAS.md'); then
    fail "words for persons"
fi

for file in "${files[@]}"; do
    case $file in
    crates/par/src/iter/parallel.rs | crates/par/src/iter/indexed.rs | results/*.md) ;;
    *.rs | *.sh | *.md | *.toml)
        lines=$(wc -l <"$file")
        [[ $lines -le 480 ]] || fail "$file has $lines lines: one idea each, at most 480 lines"
        ;;
    esac
    [[ $file == *.md ]] || continue
    # Links outside code blocks, without those that name a host or a heading of the same page.
    while read -r link; do
        [[ -e $(dirname "$file")/$link ]] || fail "$file links to $link, which does not exist"
    done < <(awk '/^ *```/ { code = !code; next } !code' "$file" | grep -oE '\]\([^) ]+' | sed -E 's/^\]\(//; s/#.*//' |
        grep -vE '^$|^[a-z]+:' || true)
done

# Comments of at most 100 columns after their indentation, but for tables. A character has one byte
# that continues none.
LC_ALL=C awk '
    /^ *\/\// && !/^ *\/\/[\/!]? \|/ {
        line = $0
        sub(/^ */, "", line)
        gsub(/[\200-\277]/, "", line)
        if (length(line) > 100) { print FILENAME ":" FNR ": " $0; long = 1 }
    }
    END { exit long }' $(sources '*.rs') || fail "comments of more than 100 columns"

for page in README ARCHITECTURE CONTRIBUTING CHANGELOG; do
    [[ -e $page.md ]] || fail "$page.md is missing"
done

# Paths as the shell writes them, with {a,b} and *. Those of sources may leave out where they begin.
all=$(sources | sed 's:^:/:')
while read -r path; do
    [[ -e $path ]] || [[ $path == *.rs && $'\n'$all$'\n' == *"/$path"$'\n'* ]] ||
        fail "ARCHITECTURE.md or docs/inside.md names $path, which does not exist"
done < <(grep -ohE '([[:alnum:]_./*-]|\{[[:alnum:]_./,-]+\})+' ARCHITECTURE.md docs/inside.md | sed 's/[.]$//' |
    grep -E '^(adders|ci|crates|field|lab)/|[.]rs$' |
    while read -r written; do eval "printf '%s\n' $written"; done | sort -u)
exit "$failed"
