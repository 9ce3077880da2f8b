#!/usr/bin/env bash
# How much code a program gets for each `join`, task and loop that it contains: lines of LLVM before
# it optimises, which is what compiling takes long for, and bytes of machine code. Against rayon's of
# the same program, of which sumac may have so many percent. Each is the difference between programs
# of twenty and of ten of them, so what a program has once does not count.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[[ $host == x86_64-*-linux-* ]] || skip size "the limits are those of x86-64 and Linux"
command -v nm >/dev/null || skip size "nm cannot be had"
package=$target/size-package
mkdir -p "$package/src/bin"
cp Cargo.lock "$package/"
cat >"$package/Cargo.toml" <<TOML
[package]
name = "size"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
sumac = { path = "$PWD/crates/sumac" }
rayon = "1.10"
TOML

# program WHO WHAT COUNT: one with so many joins, tasks or loops, each of its own type.
program() {
    local i
    echo "#![allow(unused)]"
    echo "use std::hint::black_box;"
    echo "use $1::prelude::*;"
    for ((i = 0; i < $3; i++)); do
        case $2 in
        join) echo "fn f$i(n: u64) -> u64 { if n < 2 { return n ^ $i; } let (a, b) = $1::join(|| f$i(n - 1), || f$i(n - 2)); a + b }" ;;
        spawn) echo "fn f$i(v: &mut [u64]) { let n = v[0]; drop($1::spawn(move || { black_box(n ^ $i); })); }" ;;
        scope) echo "fn f$i(v: &mut [u64]) { $1::scope(|s| { s.spawn(|_| v[0] ^= $i); }); }" ;;
        sort) echo "fn f$i(v: &mut [u64]) { v.par_sort_unstable_by_key(|x| x ^ $i); }" ;;
        for_each) echo "fn f$i(v: &mut [u64]) { v.par_iter_mut().for_each(|x| *x ^= $i); }" ;;
        sum) echo "fn f$i(v: &mut [u64]) -> u64 { v.par_iter().map(|x| x ^ $i).sum() }" ;;
        esac
    done
    echo "fn main() {"
    [[ $2 == join ]] && echo "let n = black_box(3);" || echo "let mut v = vec![3; black_box(10)]; let v = &mut v[..];"
    for ((i = 0; i < $3; i++)); do
        [[ $2 == join ]] && echo "black_box(f$i(n));" || echo "black_box(f$i(v));"
    done
    echo "}"
}

# emit PROGRAM KIND FLAG...: compiles it into one unit and prints the name of what was asked for.
emit() {
    local dir=$target/release/deps
    rm -f "$dir/${1//-/_}"-*."$3"
    cargo rustc -q --release --manifest-path "$package/Cargo.toml" --bin "$1" -- -C codegen-units=1 --emit="$2" "${@:4}"
    ls "$dir/${1//-/_}"-*."$3"
}

failed=0
printf '%-10s %-6s %8s %8s %8s %9s\n' what unit sumac rayon percent 'at most'
while read -r what most_lines most_bytes; do
    declare -A lines=() bytes=()
    for who in sumac rayon; do
        for count in 10 20; do
            name=$who-${what//_/-}-$count
            program "$who" "$what" $count >"$package/src/bin/$name.rs"
            text=$(emit "$name" llvm-ir ll -C no-prepopulate-passes)
            object=$(emit "$name" obj o)
            lines[$who]=$(($(awk '/^define/ { on = 1 } on { n++ } /^}/ { on = 0 } END { print n }' "$text") - ${lines[$who]:-0}))
            bytes[$who]=$(($(nm -S -t d "$object" | awk '$3 ~ /^[tTwW]$/ { n += $2 } END { print n }') - ${bytes[$who]:-0}))
        done
    done
    for unit in lines bytes; do
        declare -n of=$unit most=most_$unit
        percent=$((100 * of[sumac] / of[rayon]))
        verdict=ok
        [[ ${of[sumac]} -gt 100 && $percent -le $most ]] || { verdict=FAILED failed=1; }
        printf '%-10s %-6s %8d %8d %8d %9d  %s\n' "$what" $unit $((of[sumac] / 10)) $((of[rayon] / 10)) $percent "$most" $verdict
        unset -n of most
    done
done <<'LIMITS'
join 60 60
spawn 260 310
scope 100 90
for_each 60 60
sum 65 65
sort 220 170
LIMITS
exit $failed
