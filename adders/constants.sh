#!/usr/bin/env bash
# What MPI's constants cost in C, on its C interface in Rust (`binding`), on the `mpi` crate
# (`wrapper`), and by the standard ABI in C and in Rust (`c-abi`, `abi`): the machine code of small
# functions that take them, the instructions of a call, counted, and its time, in turns, and that of
# a round trip of eight bytes (adders/CONSTANTS.md). For comparison the binding with a frame as C's
# (`roomy`), and that with constants that are loaded once (`held`).
#   adders/constants.sh [--json] [ROUNDS] [mpich|openmpi]...
# 31 rounds on MPICH if not said; with --json records for `lab run constants`, on both. It needs
# objdump, and valgrind for the counts.
source "$(dirname "${BASH_SOURCE[0]}")/../ci/lib.sh"
source ci/setup-mpi.sh

json='' rounds=31 names=()
for word in "$@"; do
    case $word in
    --json) json=1 ;;
    [0-9]*) rounds=$word ;;
    *) names+=("$word") ;;
    esac
done
if [[ ${#names[@]} == 0 ]]; then
    names=(mpich)
    [[ -z $json ]] || names=(mpich openmpi)
fi
# Sets `contenders` to those of a problem.
those_of() {
    contenders=(c binding wrapper)
    [[ ! -x $out/c-abi ]] || contenders+=(c-abi abi)
    [[ $1 == trip ]] || contenders+=(roomy held)
}

# Sets `words` to what runs a contender's calls, `place` to where its functions are.
of() {
    words=("$build/rust-mpi-constants" "$1") place="binding[0-9]+handles_"
    case $1 in
    c | c-abi) words=("$out/$1") place='^handles_' ;;
    abi) words=("$build/rust-mpi-abi-constants" "$1") ;;
    wrapper) place='rust_mpi_constants[0-9]+handles_' ;;
    roomy | held) place="${1}[0-9]+handles_" ;;
    esac
}

# Sets `own` and `all` to the instructions of a call: the function's own, and with what it calls.
count() {
    local calls=1000 file=$out/callgrind.$1.$2
    # Counted between the function's beginning and its end.
    "${mpi[@]}" LD_BIND_NOW=1 timeout 300 valgrind --tool=callgrind --toggle-collect="*handles_$2*" --callgrind-out-file="$file" \
        "${words[@]}" "$2" "$calls" >/dev/null 2>"$file.log" || { tail -n 5 "$file.log" >&2; exit 1; }
    all=$(awk -v calls="$calls" '/^(summary|totals): / && !found { print $2 / calls; found = 1 }' "$file")
    own=$(callgrind_annotate --threshold=100 --show-percs=no "$file" |
        awk -v calls="$calls" -v of="[:]([^ ]*::)?handles_$2" '$0 ~ of && !found { gsub(",", "", $1); print $1 / calls; found = 1 }')
}

for name in "${names[@]}"; do
    mpi "$name" || skip constants "$name cannot be had"
    build=$target/mpi/build-$name/release out=$target/constants-$name
    rm -rf "$out"
    mkdir -p "$out"
    "${mpi[@]}" cargo build -q --locked --release -p sumac-adders --features mpi --bin rust-mpi-constants --bin rust-mpi-abi-constants \
        --target-dir "${build%/*}"
    # Expanded by the inner shell, which has the environment.
    # shellcheck disable=SC2016
    "${mpi[@]}" sh -c '"$MPICC" -std=c11 -Wall -Wextra -Werror -O3 adders/c/constants.c -o "$0/c" &&
        { [ ! -x "${MPICC}_abi" ] || "${MPICC}_abi" -std=c11 -Wall -Wextra -Werror -O3 adders/c/constants.c -o "$0/c-abi"; }' "$out"

    for ((round = 0; round < rounds; round++)); do
        for what in probe count trip; do
            those_of "$what"
            calls=1000000 ranks=(sh -c 'exec "$@"' sh)
            case $what in
            count) calls=5000000 ;;
            # The launcher is the environment's.
            # shellcheck disable=SC2016
            trip) ranks=(sh -c 'exec "$MPIEXEC" -n 2 "$@"' sh) ;;
            esac
            for ((turn = 0; turn < ${#contenders[@]}; turn++)); do
                # Each of them is the first as often.
                who=${contenders[(round + turn) % ${#contenders[@]}]}
                of "$who"
                "${mpi[@]}" timeout 60 "${ranks[@]}" "${words[@]}" "$what" "$calls" >>"$out/ns.$who.$what" 2>/dev/null
            done
        done
    done
    for what in probe count trip; do
        those_of "$what"
        for who in "${contenders[@]}"; do
            of "$who"
            own='' all='' calls=$what
            # A message is waited for in a trip; callgrind counts what does not wait.
            if [[ $what == trip ]]; then calls=mprobe; elif command -v valgrind >/dev/null; then count "$who" "$what"; fi
            if [[ -n $json ]]; then
                printf '[{"problem":"%s","size":1,"parameters":"%s","contender":"%s","threads":1},' "$what" "$name" "$who"
                printf '{"pieces":1,"batch":1,"samples":[%s],"further":{%s}}]\n' "$(paste -sd, "$out/ns.$who.$what")" "${own:+\"own\":$own,\"all\":$all}"
                continue
            fi
            symbol=$(nm "${words[0]}" | awk -v of="$place$calls" '$3 ~ of && !found { print $3; found = 1 }')
            printf '\n# %s, %s, %s\n' "$name" "$who" "$calls"
            objdump -d -M intel --no-show-raw-insn --disassemble="$symbol" "${words[0]}" | sed -n '/>:$/,$p' | sed -E '1d; s/^ +[0-9a-f]+:\t//' |
                awk 'NF && !/^Disassembly|^ *nop|^$/'
            sort -n "$out/ns.$who.$what" | awk -v who="$who" -v what="$what" -v own="$own" -v all="$all" \
                '{ ns[NR] = $1 } END { printf "%s %s %.2f [%.2f to %.2f] ns%s\n", who, what, ns[int((NR + 1) / 2)], ns[int((NR + 3) / 4)], ns[int((3 * NR + 1) / 4)], own == "" ? "" : ", " own " instructions, " all " with those that it calls" }'
        done
    done
done
command -v valgrind >/dev/null || notice constants "no instructions counted: there is no valgrind" >&2
