#!/usr/bin/env bash
# sumac inside of Python, Node and a browser (docs/other-languages.md): the extensions compile without
# warnings, install as extensions/README.md says, and survive what their hosts do to them.
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

# Both installers get their builder from a registry, and build into `own`.
ran=0
if ! command -v python3 >/dev/null; then
    notice extensions "there is no Python"
elif ! { python3 -m venv "$own/venv" && "$own/venv/bin/pip" download --quiet --no-deps --dest "$own/wheels" maturin; }; then
    notice extensions "maturin, or what makes environments of Python, cannot be had"
else
    ran=1
    CARGO_TARGET_DIR=$own "$own/venv/bin/pip" install --quiet --force-reinstall ./extensions/python
    timeout 300 "$own/venv/bin/python" extensions/python/test_walk.py
fi
if ! command -v npm >/dev/null; then
    notice extensions "there is no Node"
elif ! npm view @napi-rs/cli name >/dev/null; then
    notice extensions "the command line of napi-rs cannot be had"
else
    ran=1
    (cd extensions/node && CARGO_TARGET_DIR=$own npm install --no-audit --no-fund && timeout 300 npm test)
fi
# With threads, which std has in a browser only where it is built with atomics: and so it is built.
if ! command -v chromium >/dev/null || ! command -v node >/dev/null; then
    notice extensions "there is no Chromium, or no Node to serve it a page"
elif ! toolchain "$stable" -c rust-src -t wasm32-unknown-unknown; then
    notice extensions "std for browsers, or its source, cannot be had"
else
    ran=1
    (cd extensions/web && RUSTC_BOOTSTRAP=1 "${with[@]}" cargo build --quiet --release --locked --target-dir "$own")
    WALK_WEB=$own/wasm32-unknown-unknown/release/walk_web.wasm timeout 120 node extensions/web/test.mjs
fi
[[ $ran == 1 ]] || exit 77
