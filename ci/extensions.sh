#!/usr/bin/env bash
# sumac inside of Python, Node and a browser (docs/other-languages.md): the extensions compile without
# warnings, and survive what their hosts do to them.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

own=$target/extensions
build() { cargo "$1" --quiet --release --locked --manifest-path extensions/Cargo.toml --target-dir "$own" "${@:2}"; }
said=$(build build 2>&1) || {
    echo "$said"
    if grep -qE 'failed to (download|fetch|get|query)|offline|Could not resolve' <<<"$said"; then
        skip extensions "the registry cannot be had"
    fi
    exit 1
}
tests build test -p walk
if cargo clippy --version >/dev/null 2>&1; then build clippy --workspace --all-targets -- -D warnings; fi

# Each host finds the library under a name of its own.
ran=0
if command -v python3 >/dev/null; then
    ran=1
    cp "$own/release/libwalk_python.so" "$own/walk_python.abi3.so"
    PYTHONPATH=$own timeout 300 python3 extensions/python/test_walk.py
else
    notice extensions "there is no Python"
fi
if command -v node >/dev/null; then
    ran=1
    cp "$own/release/libwalk_node.so" "$own/walk_node.node"
    WALK_NODE=$own/walk_node.node timeout 300 node --test extensions/node/test.mjs
else
    notice extensions "there is no Node"
fi
# With threads, which std has in a browser only where it is built with atomics: and so it is built.
if ! command -v chromium >/dev/null || ! command -v node >/dev/null; then
    notice extensions "there is no Chromium, or no Node to serve it a page"
elif ! toolchain "$stable" -c rust-src -t wasm32-unknown-unknown; then
    notice extensions "std for browsers, or its source, cannot be had"
else
    ran=1
    flags="-Ctarget-feature=+atomics,+bulk-memory"
    for argument in import-memory shared-memory max-memory=268435456 export=__stack_pointer \
        export=__wasm_init_tls export=__tls_size export=__tls_align; do
        flags+=" -Clink-arg=--$argument"
    done
    RUSTC_BOOTSTRAP=1 CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS=$flags "${with[@]}" cargo build --quiet --release \
        --locked --manifest-path extensions/Cargo.toml -p walk-web --target wasm32-unknown-unknown \
        -Zbuild-std=std,panic_abort --target-dir "$own"
    WALK_WEB=$own/wasm32-unknown-unknown/release/walk_web.wasm timeout 120 node extensions/web/test.mjs
fi
[[ $ran == 1 ]] || exit 77
