#!/usr/bin/env bash
# Builds all adders that can be built here into target/adders, each as an executable NAME that takes FILE SIZE, and
# `mpiexec`, which starts them with the MPI they were built for. Says what is missing and why; fails if what should build does not.
#   adders/build.sh [mpich|openmpi]     the MPI to build for, MPICH if not said (the Julia adder knows no other)
source "$(dirname "${BASH_SOURCE[0]}")/../ci/lib.sh"
source ci/setup-mpi.sh
source ci/setup-julia.sh

name=${1:-mpich}
out=$target/adders
# What is not built today shall not be there from yesterday.
rm -rf "$out"
mkdir -p "$out"

# launcher FILE WORD...: an executable that runs words with its arguments.
launcher() {
    local file=$1
    shift
    { echo '#!/bin/sh'; printf 'exec'; printf ' %q' "$@"; echo ' "$@"'; } >"$file"
    chmod +x "$file"
}

rust=(cargo build -q --locked --release -p sumac-adders)
programs=(floor rust-rayon sumac)
if mpi "$name"; then
    # Expanded by the inner shell, which has the environment.
    # shellcheck disable=SC2016
    "${mpi[@]}" sh -c '"$MPICC" -std=c11 -Wall -Wextra -Werror -O3 adders/c/adder.c -o "$0"' "$out/c"
    # shellcheck disable=SC2016
    "${mpi[@]}" sh -c '"$MPICC" -std=c11 -Wall -Wextra -Werror -O3 adders/c/first.c -o "$0"' "$out/c-first"
    # shellcheck disable=SC2016
    launcher "$out/mpiexec" "${mpi[@]}" "$("${mpi[@]}" sh -c 'echo "$MPIEXEC"')"
    # shellcheck disable=SC2016
    library=$("${mpi[@]}" sh -c 'ldd "$0"' "$out/c" | grep -oE '/[^ ]*/libmpi(ch)?\.so[^ ]*' | head -n 1)
    programs+=(rust-mpi-binding rust-mpi-wrapper sumac-mpi) features=mpi
    # By the standard ABI where this MPI has it.
    if [[ -e ${library%/*}/libmpi_abi.so.1 ]]; then programs+=(rust-mpi-abi); else features+=,sumac-mpi/mpi; fi
    # A folder of its own: the bindings are those of one MPI.
    "${mpi[@]}" "${rust[@]}" --features "$features" --target-dir "$target/mpi/build-$name"
    for program in "${programs[@]}"; do cp "$target/mpi/build-$name/release/$program" "$out"; done
    if [[ $name == mpich ]] && julia; then
        launcher "$out/julia" env "ADDER_LIBMPI=$library" "$julia" --startup-file=no -O3 "$PWD/adders/julia/adder.jl"
    else
        notice adders "no adder in Julia: $([[ $name == mpich ]] && echo "Julia cannot be had" || echo "it needs MPICH")"
    fi
else
    notice adders "no adder on MPI: $name cannot be had"
    "${rust[@]}"
    for program in "${programs[@]}"; do cp "$target/release/$program" "$out"; done
fi
ls "$out"
