#!/usr/bin/env bash
# Counts what a fork costs in every build that users make: instructions per node of a 1,023-node
# tree with a join at every node, under callgrind, and per loop over ten numbers (`sum`). An exact
# guard of the hot path that needs no clock. Then the same on aarch64, under qemu, which logs every
# instruction.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[[ $host == x86_64-*-linux-* ]] || skip instructions "the limits are those of x86-64 and Linux"
command -v valgrind >/dev/null || debian valgrind || skip instructions "valgrind cannot be had"
cargo build --release -p sumac-builds
counts=$("$target/release/sumac-builds" instructions)
# A record of a count and one of a time for each contender of each build.
[[ $("$target/release/sumac-builds" --json table 1 2 | grep -c '"contender"') == 72 ]]

# So many calls on aarch64: the number of instructions of the whole run.
emulated() {
    local step=-one-insn-per-tb
    qemu-aarch64 -help | grep -q -e "$step" || step=-singlestep
    qemu-aarch64 $step -d nochain,exec -D /dev/stdout "$program" call default "$1" "$2" | grep -c '^Trace'
}

musl=aarch64-unknown-linux-musl
if { command -v qemu-aarch64 >/dev/null || debian qemu-user; } && toolchain "$stable" -t $musl; then
    # The target brings its C library and Rust its linker. What loads shared libraries, which this
    # target has not, asks for a part of that library that is empty in musl.
    mkdir -p "$target/musl"
    printf '!<arch>\n' >"$target/musl/libdl.a"
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUSTFLAGS="-C linker=rust-lld -L $target/musl" \
        "${with[@]}" cargo build --release -p sumac-builds --target $musl
    program=$target/$musl/release/sumac-builds
    for contender in plain scope join; do
        few=$(emulated $contender 1)
        many=$(emulated $contender 3)
        counts+=$'\n'$(awk -v n=$((many - few)) -v c=$contender 'BEGIN { printf "aarch64 %s %.1f", c, n / 2 / 1023 }')
    done
else
    notice instructions "aarch64: no qemu-user, or no Rust for $musl"
fi

# Another count of the plain program, or of chili, means that the program measured is no longer the
# one that the limits were set for. What is printed of a loop has a percent of chance in it: loops
# look at the clock.
awk '
    FNR == NR { count[$1, $2] = $3; builds[$1]; next }
    $1 in builds || $1 != "aarch64" {
        verdict = (($1, $2) in count) && count[$1, $2] >= $3 && count[$1, $2] <= $4 ? "ok" : "FAILED"
        if (FNR == 1) printf "%-10s %-6s %12s %9s %9s\n", "build", "who", "instructions", "at least", "at most"
        printf "%-10s %-6s %12s %9s %9s  %s\n", $1, $2, count[$1, $2], $3, $4, verdict
        failed += verdict == "FAILED"
    }
    END {
        ratio = count["cdylib", "sum"] / count["default", "sum"]
        verdict = ratio <= 1.3 ? "ok" : "FAILED"
        printf "the loop in the shared library over that in the program: %.2f, at most 1.30  %s\n", ratio, verdict
        exit failed > 0 || verdict == "FAILED"
    }' <(printf '%s\n' "$counts") - <<'LIMITS'
default plain 15 20
default scope 20 35.5
default join 20 39.5
default chili 50 60
default rayon 130 200
default sum 200 560
cdylib plain 15 20
cdylib scope 20 35.5
cdylib join 20 51.5
cdylib chili 50 60
cdylib rayon 130 210
cdylib sum 200 600
fat plain 15 20
fat scope 20 35
fat join 20 39.5
fat chili 42 56
fat rayon 120 180
fat sum 200 500
no-lto plain 15 20
no-lto scope 20 35.5
no-lto join 20 52.5
no-lto chili 58 70
no-lto rayon 180 260
no-lto sum 400 2000
o2 plain 15 20
o2 scope 20 36
o2 join 20 40
o2 chili 52 64
o2 rayon 150 220
o2 sum 200 560
os plain 15 20
os scope 20 36
os join 20 53
os chili 53 80
os rayon 200 280
os sum 400 800
aarch64 plain 14 18
aarch64 scope 20 33.5
aarch64 join 20 42.5
LIMITS
