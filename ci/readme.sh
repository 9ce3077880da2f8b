#!/usr/bin/env bash
# Goes the ways of newcomers, with what the documents say and nothing else: programs of their own
# beside a fresh clone, made of the code blocks of README and docs; the tour; the lab's commands,
# and results that nothing in the clone is changed for. Where other steps go on: extensions.sh
# (Python, Node, browsers), under-rayon.sh and by-rename.sh, mpi.sh and hosts.sh.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

fail() { echo "error: $*"; exit 1; }
work=$target/readme clone=$target/readme/clone
rm -rf "$work"
mkdir -p "$work"
git clone --quiet . "$clone"

# block PAGE LANGUAGE: the first code block of the page in that language, after which it has a
# program or lines for a `Cargo.toml`; with a path where there is a choice, and ours for the clone.
block() {
    local found
    found=$(awk -v fence="\`\`\`$2" 'on && /^```/ { exit } on; $0 == fence { on = 1 }' "$clone/$1" |
        sed -E "s|git = \"<this repository>\"(.*)# or: (\{ )?(path = \"[^\"]*\").*|\3\1|; s|<a clone( of it)?>|$clone|")
    printf '%s\n' "${found:-no block of $2 in $1}"
}
# program NAME LINES CODE: what cargo says of a package with these lines in its `Cargo.toml` and
# this program, when it is run. It has a `main`, or is one.
program() {
    local own=$work/$1 code=$3
    mkdir -p "$own/src"
    printf '[package]\nname = "%s"\nedition = "2024"\n[workspace]\n%s\n' "$1" "$2" >"$own/Cargo.toml"
    [[ $code == *'fn main()'* ]] || code="fn main() { $code }"
    printf '%s\n' "$code" >"$own/src/main.rs"
    (cd "$own" && CARGO_TARGET_DIR=$work/target timeout 600 cargo "${4:-run}" --quiet 2>&1)
}

echo "-- a recursion"
lines=$(block README.md toml) code=$(block README.md rust)
[[ $code == *'fn main()'* ]] || fail "README's program has no main"
program recursion "$lines" "$code"
# What the compiler says to a scope that is captured, and how long it is.
said=$(program captured "$lines" 'fn f(s: &mut sumac::Scope<'"'"'_>, n: u32) -> u32 {
    if n == 0 { return 1; }
    let (a, b) = s.join(|_| f(s, n - 1), |s| f(s, n - 1));
    a + b
}
fn main() { f(&mut sumac::Scope::global(), 3); }') && fail "a captured scope compiles"
grep -q 'pass the scope on' <<<"$said" && [[ $(wc -l <<<"$said") -lt 60 ]] || fail "of a captured scope the compiler says: $said"

echo "-- rayon: two lines, and the rename"
uses_rayon='use rayon::prelude::*;
fn main() { assert_eq!((0..1000u64).into_par_iter().map(|n| n * n).sum::<u64>(), 332_833_500); }'
rayon_lines=$(block docs/under-rayon.md toml)
said=$(SUMAC_ANNOUNCE=1 program patched "[dependencies]
rayon = \"1\"
$rayon_lines" "$uses_rayon") || fail "$said"
grep -q '^sumac .* runs rayon' <<<"$said" || fail "rayon runs on another scheduler: $said"
program renamed "$(block docs/coming-from-rayon.md toml)" "$uses_rayon"

echo "-- domainslib, tests in many orders, ranks"
program domainslib "$lines" "$(block docs/coming-from-domainslib.md rust)"
program orders "$(block docs/testing.md toml | sed 's/dev-dependencies/dependencies/')" "$(block docs/testing.md rust)"
SUMAC_MPI_RANKS=3 program ranks "$(block docs/cluster.md toml | sed 's/^\[dependencies\]/&\nfastrand = "2"/')" "$(cat "$clone/crates/mpi/examples/sample_sort.rs")"

echo "-- the tour"
timeout 600 cargo build --release --locked
# A small tour, unless all is asked for.
size=()
[[ -n $full ]] || size=(--nodes 1023,65535 --rounds 5)
timeout 120 "$target/release/lab" "${size[@]}"

echo "-- the lab's commands"
build_lab
# Asking for help after the arguments shows whether they are understood without running what may
# take long.
grep -ohE '^( {4})?cargo run --release [^#>|]*' README.md docs/*.md {lab,adders,field}/README.md results/FINDINGS.md |
    sed -n 's/.* -- //p' | tr -d '[]' | while read -r -a words; do
    echo "-- ${words[*]}"
    "$lab" "${words[@]}" --help >/dev/null
done
# Results of one's own, in a clone that has another machine's; and what they make of its documents.
cd "$clone"
timeout 120 "$lab" run study --only 'tree 1000 baseline x1' --rounds 1
[[ -z $(git status --porcelain) ]] || fail "the lab has changed the clone: $(git status --porcelain)"
mkdir results/mine && cp target/lab/study.jsonl results/mine
timeout 120 "$lab" report
grep -q "figures/mine-" results/FINDINGS.md && fail "a single cell has a figure"
[[ -n $(git status --porcelain results/FINDINGS.md) ]] || fail "the findings have nothing of one's own"
