#!/usr/bin/env bash
# What MPI's constants cost in C, on its C interface in Rust (`binding`), and on the `mpi` crate
# (`wrapper`): the machine code of two small functions that take them, the instructions of a call,
# counted, and its time, in turns (adders/CONSTANTS.md). For comparison the binding with a frame as
# C's (`roomy`), and that with constants that are loaded once (`held`).
#   adders/constants.sh [mpich|openmpi] [ROUNDS]
# MPICH and 31 rounds if not said. It needs objdump, and valgrind for the counts.
source "$(dirname "${BASH_SOURCE[0]}")/../ci/lib.sh"
source ci/setup-mpi.sh

name=${1:-mpich} rounds=${2:-31}
mpi "$name" || skip constants "$name cannot be had"
build=$target/mpi/build-$name/release
out=$target/constants-$name
mkdir -p "$out"
"${mpi[@]}" cargo build -q --locked --release -p sumac-adders --features mpi --bin rust-mpi-constants --target-dir "${build%/*}"
# Expanded by the inner shell, which has the environment.
# shellcheck disable=SC2016
"${mpi[@]}" sh -c '"$MPICC" -std=c11 -Wall -Wextra -Werror -O3 adders/c/constants.c -o "$0"' "$out/c"

contenders=(c binding wrapper roomy held)
# Sets `words` to what runs a contender's calls, `place` to where its functions are.
of() {
    case $1 in
    c) words=("$out/c") place='^handles_' ;;
    binding) words=("$build/rust-mpi-constants" binding) place='binding[0-9]+handles_' ;;
    roomy) words=("$build/rust-mpi-constants" roomy) place='roomy[0-9]+handles_' ;;
    held) words=("$build/rust-mpi-constants" held) place='held[0-9]+handles_' ;;
    wrapper) words=("$build/rust-mpi-constants" wrapper) place='rust_mpi_constants[0-9]+handles_' ;;
    esac
}

for what in probe count; do
    for who in "${contenders[@]}"; do
        of "$who"
        symbol=$(nm "${words[0]}" | awk -v of="$place$what" '$3 ~ of && !found { print $3; found = 1 }')
        echo "# $who, $what"
        objdump -d -M intel --no-show-raw-insn --disassemble="$symbol" "${words[0]}" | sed -n '/>:$/,$p' | sed -E '1d; s/^ +[0-9a-f]+:\t//' |
            awk 'NF && !/^Disassembly|^ *nop|^$/'
    done
done

echo
echo "# instructions of a call: the function's own, and with what it calls"
if command -v valgrind >/dev/null; then
    for what in probe count; do
        for who in "${contenders[@]}"; do
            of "$who"
            calls=1000 file=$out/callgrind.$who.$what
            # Counted between the function's beginning and its end.
            "${mpi[@]}" LD_BIND_NOW=1 timeout 300 valgrind --tool=callgrind --toggle-collect="*handles_$what*" --callgrind-out-file="$file" \
                "${words[@]}" "$what" "$calls" >/dev/null 2>"$file.log" || { tail -n 5 "$file.log"; exit 1; }
            all=$(sed -n 's/^summary: //p; s/^totals: //p' "$file" | head -n 1)
            own=$(callgrind_annotate --threshold=100 --show-percs=no "$file" | grep -E "[:]([^ ]*::)?handles_$what" | awk '{ gsub(",", "", $1); print $1; exit }')
            awk -v who="$who" -v what="$what" -v own="$own" -v all="$all" -v calls="$calls" \
                'BEGIN { printf "%-8s %-6s %6.1f %8.1f\n", who, what, own / calls, all / calls }'
        done
    done
else
    notice constants "no instructions counted: there is no valgrind"
fi

echo
echo "# nanoseconds of a call, median [quartiles], $rounds rounds in turns"
rm -f "$out"/ns.*
for ((round = 0; round < rounds; round++)); do
    for what in probe count; do
        calls=1000000
        [[ $what == probe ]] || calls=5000000
        for ((turn = 0; turn < 5; turn++)); do
            # Each of them is the first as often.
            who=${contenders[(round + turn) % 5]}
            of "$who"
            "${mpi[@]}" timeout 60 "${words[@]}" "$what" "$calls" >>"$out/ns.$who.$what" 2>/dev/null
        done
    done
done
for what in probe count; do
    for who in "${contenders[@]}"; do
        sort -n "$out/ns.$who.$what" | awk -v who="$who" -v what="$what" \
            '{ ns[NR] = $1 } END { printf "%-8s %-6s %7.2f [%.2f to %.2f]\n", who, what, ns[int((NR + 1) / 2)], ns[int((NR + 3) / 4)], ns[int((3 * NR + 1) / 4)] }'
    done
done
