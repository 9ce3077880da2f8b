# shellcheck shell=bash
# Sourced by every script here: goes to the root of the repository and defines what they share.
# A script exits 0 if its check passed, 77 if it could not be made (after a loud notice), else it failed.
# This file, test.sh and its quick steps keep to bash 3.2 and to what macOS has; the others need a
# newer bash and GNU's programs.
# shellcheck disable=SC2034  # some of the variables are for the scripts alone
set -euo pipefail

target=${CARGO_TARGET_DIR:-$(dirname "${BASH_SOURCE[0]}")/../target}
mkdir -p "$target"
target=$(cd "$target" && pwd -P)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CARGO_TARGET_DIR=$target
# Tests panic thousands of times on purpose, and each backtrace takes milliseconds.
export RUST_BACKTRACE=0

# The toolchains that checks bring along where the machine's own will not do.
stable=1.95.0 nightly=nightly-2026-05-20 msrv=1.85.0
# The packages that users import, with what their tests need; the rest of the workspace, the lab,
# takes longer to build than these.
libraries=(sumac-core sumac-par sumac-batch sumac-instruments sumac sumac-mpi sumac-test-support)
# A workspace of its own: rayon's interface, and that under the name of a package that the lab uses.
rayon=crates/rayon/Cargo.toml
host=$(rustc -vV | sed -n 's/^host: //p')
toolchains=${SUMAC_CI_RUSTUP_HOME:-$target/rustup}

# What optimised builds and sanitizers run, since dozens of programs take long to build: the
# scheduler's own tests, and of the others the programs in which threads meet and unsafe code runs;
# after `ci/test.sh full` all.
full=${SUMAC_CI_FULL:-}
public=(-p sumac-core -p sumac --lib --test splitting --test behaviour --test hostile --test traps --test callers_wait
    --test callers_wait_ends --test waiters)
batch=(-p sumac-batch --test batched --test linearizable --test small)
par=(-p sumac-par --lib --test collect --test hostile --test small)
if [[ -n $full ]]; then
    public=(-p sumac-core -p sumac --lib --tests) batch=(-p sumac-batch --lib --tests) par=(-p sumac-par --lib --tests)
fi

# Long programs with few threads: sanitizers slow them down most and have least to say about them.
long=()
[[ -n $full ]] || long=(--skip batches_ --skip single_operations --skip growing_and_shrinking --skip large_maps
    --skip many_keys --skip chains_of_futures --skip an_order_that_changes --skip do_not_allocate --skip by_hand::)

# build_lab: builds the lab with every command, as the step `features` tests it, and sets `lab` to
# it.
build_lab() {
    cargo build --locked --ignore-rust-version -p sumac-lab --features forte
    lab=$target/debug/lab
}

# notice CHECK REASON: says loudly that (a part of) a check was left out; test.sh repeats it at the
# end.
notice() {
    printf 'SKIPPED: %s: %s\n' "$1" "$2" | tee -a "${SUMAC_CI_NOTICES:-/dev/null}"
}

# skip CHECK REASON: the same for a whole script, which ends here.
skip() {
    notice "$@"
    exit 77
}

# Where there is no `timeout`, commands run without one.
command -v timeout >/dev/null || timeout() {
    while [[ $1 == -* ]]; do shift; done
    "${@:2}"
}

# one_at_a_time COMMAND...: runs what two steps must not run at once, which may run beside each
# other on a CI machine.
one_at_a_time() (
    [[ ${CI:-} != true ]] || { exec 9>"$target/one-at-a-time" && flock 9; }
    "$@"
)

# toolchain NAME ARGUMENT...: installs a toolchain (with `-c component`, `-t target`) in a home of
# its own under target/, and sets `with` to the words that run a command in it. False if it cannot
# be had.
with=(env)
toolchain() {
    local name=$1 stamp="$toolchains/have $*" failed="$toolchains/unreachable"
    shift
    command -v rustup >/dev/null || return 1
    mkdir -p "$toolchains"
    if [[ ! -e $stamp ]]; then
        # One failure speaks for the next quarter of an hour: no waiting for a silent server in
        # every script.
        if [[ -n $(find "$failed" -mmin -15 2>/dev/null) ]]; then return 1; fi
        if ! RUSTUP_HOME=$toolchains RUSTUP_MAX_RETRIES=1 RUST_BACKTRACE=0 one_at_a_time timeout 240 \
            rustup --quiet toolchain install "$name" --profile minimal --no-self-update "$@"; then
            touch "$failed"
            return 1
        fi
        touch "$stamp"
    fi
    with=(env "RUSTUP_HOME=$toolchains" rustup run "$name")
}

# debian PACKAGE: installs a Debian package where that is allowed: on a CI machine, as root. False
# if it cannot.
debian() {
    [[ ${CI:-} == true && $(id -u) == 0 ]] && command -v apt-get >/dev/null || return 1
    one_at_a_time timeout 120 apt-get update -q &&
        DEBIAN_FRONTEND=noninteractive one_at_a_time timeout 240 apt-get install -y -q "$1"
}

# sources GLOB...: the project's own files, committed or new, and no links to them; all of them
# without a GLOB.
sources() {
    local file
    git ls-files -z --cached --others --exclude-standard -- "$@" | while IFS= read -r -d '' file; do
        [[ ! -f $file || -L $file ]] || printf '%s\n' "$file"
    done
}

# tests COMMAND...: runs a command that runs tests, and fails also if it ran none.
tests() {
    local log status=0
    log=$(mktemp)
    "$@" 2>&1 | tee "$log" || status=$?
    if [[ $status == 0 ]] && ! grep -qE '\b[1-9][0-9]* passed' "$log"; then
        echo "error: no test ran"
        status=1
    fi
    rm -f "$log"
    return "$status"
}
