#!/usr/bin/env bash
# Platforms are run, not only compiled (portability.sh): programs of tests and stress on aarch64
# Linux under qemu, on WebAssembly with and without threads in node, on Windows under Wine.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

own=$target/platforms
[[ ${CI:-} != true ]] || trap 'rm -rf "$own"' EXIT
export CARGO_PROFILE_DEV_DEBUG=none CARGO_INCREMENTAL=0
mkdir -p "$own"
core=(-p sumac-core --target-dir "$own")
ready=0

# want PROGRAM PACKAGE SYSTEM: whether there is std for it, and a program that runs others of its
# programs. Without the latter these are compiled.
want() {
    local program=$1 package=$2 system=$3
    echo "-- $system"
    toolchain "$stable" -t "$system" || { notice platforms "std for $system cannot be had"; return 1; }
    ready=$((ready + 1))
    command -v "$program" >/dev/null || { [[ -n $package ]] && debian "$package"; } && return
    notice platforms "$system: $program cannot be had"
    "${with[@]}" cargo check "${core[@]}" --target "$system"
    return 1
}

if want node nodejs wasm32-unknown-unknown; then
    # The tests cannot print, so the runner must see one that fails.
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER="node $PWD/ci/wasm/alone.mjs"
    alone=("${with[@]}" cargo test "${core[@]}" --target wasm32-unknown-unknown --test everywhere)
    "${alone[@]}" | tee "$own/said"
    grep -q 'came to its end with status 0' "$own/said"
    if SUMAC_PLANT_FAILURE=1 "${alone[@]}" >"$own/said" 2>&1; then
        echo "error: a test that fails was not seen"
        exit 1
    fi
    grep -q 'RuntimeError: unreachable' "$own/said"
fi

if want node nodejs wasm32-wasip1-threads; then
    CARGO_TARGET_WASM32_WASIP1_THREADS_RUNNER="node --no-warnings $PWD/ci/wasm/threads.mjs" \
        tests "${with[@]}" timeout 300 cargo test "${core[@]}" --target wasm32-wasip1-threads --test everywhere
fi

if want qemu-aarch64 qemu-user aarch64-unknown-linux-musl; then
    # As in instructions.sh: the target brings its C library, Rust its linker.
    mkdir -p "$own/lib"
    printf '!<arch>\n' >"$own/lib/libdl.a"
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUSTFLAGS="-C linker=rust-lld -L $own/lib"
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUNNER=qemu-aarch64
    musl=(--target aarch64-unknown-linux-musl)
    tests "${with[@]}" cargo test "${core[@]}" "${musl[@]}" --no-fail-fast --lib --test everywhere --test splitting
    # With sumac's own tests come packages that take long to build.
    [[ -z $full ]] || SUMAC_TEST_EMULATOR=qemu-aarch64 tests "${with[@]}" cargo test -p sumac --target-dir "$own" \
        "${musl[@]}" --no-fail-fast --test behaviour --test callers_wait --test small --test small_tasks --test waiters
    "${with[@]}" cargo build --release -p sumac --target-dir "$own" "${musl[@]}" --example stress
    seconds=5
    [[ -z $full ]] || seconds=60
    qemu-aarch64 "$own/aarch64-unknown-linux-musl/release/examples/stress" --joins 1000000000000 --seconds "$seconds" --threads 1,2,4
fi

# Windows with GNU's runtime has no thread-locals of its own: there the attention word is kept
# elsewhere. Debian keeps the program that starts 64-bit ones beside its libraries.
PATH=$PATH:/usr/lib/wine
gnu=x86_64-pc-windows-gnu
# Wine and a linker are a gigabyte: a sample takes them where they are.
has_linker() { command -v x86_64-w64-mingw32-gcc >/dev/null || { [[ -n $full ]] && debian gcc-mingw-w64-x86-64-win32; }; }
under_wine() {
    mkdir -p "$own/wine" "$own/dll"
    # Wine 8 lacks the library that std takes random numbers from.
    x86_64-w64-mingw32-gcc -shared -x c - -o "$own/dll/bcryptprimitives.dll" -ladvapi32 <<'LIBRARY'
#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE to, SIZE_T size) { return RtlGenRandom(to, size); }
LIBRARY
    export WINEPATH="Z:${own//\//\\}\\dll"
    export WINEPREFIX=$own/wine WINEDEBUG=-all CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine64
    tests "${with[@]}" timeout 300 cargo test "${core[@]}" --target $gnu --no-fail-fast --lib --test everywhere --test splitting
    wineserver -k || true
}
if want wine64 "${full:+wine64}" $gnu; then
    if has_linker; then
        under_wine
    else
        notice platforms "$gnu: no linker can be had"
        "${with[@]}" cargo check "${core[@]}" --target $gnu
    fi
fi

[[ $ready -gt 0 ]] || exit 77
