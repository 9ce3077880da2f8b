#!/usr/bin/env bash
# Programs that rename our crate to `rayon` (crates/rayon): rayon's own tests, from the sources that
# cargo keeps, of the library's unit tests those that name nothing private. Fails if one does not
# pass that has passed, or passes that is listed here as one that does not.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

version=1.12.0
# So many there are, with those that rayon ignores and those that do not pass.
expected=308

# Those that name what is private in rayon: the two here, and all of the modules `collect`,
# `find_first_last`, `sort` and `delegate` (23).
private=(check_range_split_at_overflow test_i128_len_doesnt_overflow)
# Those that do not pass, and why: see "What is different" in docs/coming-from-rayon.md.
differ=(
    clones::clone_adaptors                 # `with_max_len` is no promise to `try_fold`
    iter_panic::iter_panic_fuse            # a panic stops the loop without a fuse as well
    unit_iter::blocks                      # `by_uniform_blocks` is no promise
    unit_iter::check_lengths               # `with_min_len` is no promise to `fold`
    unit_iter::count_repeat_n_clones       # counts the parts that `with_min_len` makes
    unit_slice::test_par_sort              # no order at all: std's sorts, of which ours are made,
    unit_slice::test_par_sort_unstable     # may panic there, and mostly do
)
# Not always.
may_pass=' clones::clone_adaptors unit_iter::blocks unit_slice::test_par_sort unit_slice::test_par_sort_unstable '

work=$target/by-rename
fail() { echo "error: $*"; exit 1; }
rm -rf "$work"
mkdir -p "$work"/{fetch/src,src,tests/all}
cat >"$work/fetch/Cargo.toml" <<EOT
[package]
name = "fetch"
edition = "2024"
[dependencies]
rayon = "=$version"
[workspace]
EOT
touch "$work/fetch/src/lib.rs" "$work/src/lib.rs"
metadata=$(cargo metadata --format-version 1 --manifest-path "$work/fetch/Cargo.toml" 2>"$work/said") ||
    { cat "$work/said"; skip by-rename "rayon's sources cannot be had"; }
rayon_at=$(grep -oE "\"manifest_path\":\"[^\"]*/rayon-$version/Cargo.toml\"" <<<"$metadata" | head -n 1 |
    sed 's:.*"\(/.*\)/Cargo.toml"$:\1:')
cat >"$work/Cargo.toml" <<EOT
[package]
name = "by-rename"
edition = "2021"
[dependencies]
rayon = { package = "sumac-rayon", path = "$PWD/crates/rayon" }
[dev-dependencies]
rand = "0.9"
rand_xorshift = "0.4"
[profile.dev]
debug = "line-tables-only"
[workspace]
EOT

# renamed FILE: unit tests as another crate sees them. What rayon's own modules have in scope is
# imported.
renamed() {
    echo '#[allow(unused_imports)] use rayon::iter::{*, plumbing::*};'
    sed -E 's/^#!\[cfg\(test\)\]//; s/\b(crate|rayon_core)::/rayon::/g
        s/^( *)use super::\*;/\1#[allow(unused_imports)] use {rayon::iter::{*, plumbing::*}, std::collections::LinkedList};/' "$1"
}
# unit NAME FILE: the tests of a file that begins with other things.
unit() {
    awk '/^#\[(test|cfg\(test\))\]/ { on = 1 } on' "$rayon_at/src/$2" >"$work/part"
    renamed "$work/part" >"$work/tests/all/unit_$1.rs"
}
cd "$work"
for file in "$rayon_at"/tests/*.rs; do
    name=$(basename "$file" .rs)
    # The global pool can be built once: this test is a program by itself.
    if [[ $name == named-threads ]]; then
        cp "$file" tests/
    else
        sed 's/^#!\[type_length_limit.*//' "$file" >"tests/all/${name//-/_}.rs"
    fi
done
renamed "$rayon_at/src/iter/test.rs" >tests/all/unit_iter.rs
renamed "$rayon_at/src/slice/test.rs" >tests/all/unit_slice.rs
unit fold_chunks iter/fold_chunks.rs
unit fold_chunks_with iter/fold_chunks_with.rs
unit range range.rs
unit range_inclusive range_inclusive.rs
for name in "${private[@]}"; do
    sed -i "/^fn $name()/,/^}/d" tests/all/unit_range.rs
done
# What a deleted function leaves of itself.
sed -i -z 's/#\[test\]\n\n/\n/g' tests/all/unit_range.rs
for file in tests/all/*.rs; do echo "mod $(basename "$file" .rs);"; done >main
mv main tests/all/main.rs

said=$(cargo test --no-run 2>&1) || fail "what rayon's tests use is missing: $said"
log=$work/log
# Not shown: the failures that are expected would look like others.
cargo test --no-fail-fast >"$log" 2>&1 || true
passed=$(grep -cE '^test .* \.\.\. ok$' "$log" || true)
ignored=$(grep -cE '^test .* \.\.\. ignored' "$log" || true)
mapfile -t failures < <(sed -nE 's/^test (.*) \.\.\. FAILED$/\1/p' "$log" | sort)
known=" ${differ[*]} " bad=0
for name in "${failures[@]}"; do
    [[ $known == *" $name "* ]] || { echo "error: $name does not pass any more"; bad=1; }
done
[[ $bad == 0 ]] || sed -n '/^failures:$/,$p' "$log"
for name in "${differ[@]}"; do
    [[ $may_pass == *" $name "* || " ${failures[*]} " == *" $name "* ]] || { echo "error: $name passes: take it off the list"; bad=1; }
done
total=$((passed + ignored + ${#failures[@]}))
echo "$passed tests of rayon $version pass by rename, $ignored ignored, ${#failures[@]} do not pass as listed"
[[ $total == "$expected" ]] || fail "$total tests ended, of $expected"
exit "$bad"
