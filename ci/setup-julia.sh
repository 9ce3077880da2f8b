#!/usr/bin/env bash
# Gives Julia to those who have none, without root and without touching the system: Debian 11's julia and what it needs,
# unpacked under target/julia. apt works there with sources, lists, cache and a status file of its own.
#   ci/setup-julia.sh               says what was found
#   ci/setup-julia.sh COMMAND...    runs a command with JULIA naming a `julia` that runs
# Sourced (after lib.sh), it defines `julia`. Exits with 77 where none can be had.
[[ -n ${target:-} ]] || source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# julia: sets `julia` to the path of an executable. False if none can be had.
julia=
julia() {
    local home=$target/julia
    julia=$(type -P julia || true)
    [[ -z $julia ]] || return 0
    julia=$home/run
    if [[ ! -x $julia ]]; then
        julia_unpack "$home" || { julia=; return 1; }
    fi
    # A loader or a library that does not fit shows here, not in the midst of a measurement.
    [[ $(timeout 60 "$julia" -e 'print(6 * 7)' 2>/dev/null) == 42 ]] || { julia=; return 1; }
}

# julia_unpack HOME: fetches the packages and lays their files out.
julia_unpack() {
    local home=$1 fresh keys=/usr/share/keyrings/debian-archive-keyring.gpg mirror failed=$1.unreachable
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null && [[ -r $keys && $(dpkg --print-architecture) == amd64 ]] || return 1
    # One failure speaks for the next quarter of an hour.
    if [[ -n $(find "$failed" -mmin -15 2>/dev/null) ]]; then return 1; fi
    # The mirror that this machine uses anyway.
    mirror=$(sed -nE 's/^(URIs:|deb( \[[^]]*\])?) *(https?:[^ ]*\/debian)\/?( .*)?$/\3/p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1 || true)
    [[ -n $mirror ]] || return 1
    mkdir -p "$target"
    fresh=$(mktemp -d "$home.fresh.XXXXXX")
    mkdir -p "$fresh"/apt/{lists/partial,cache/archives/partial,parts}
    : >"$fresh/apt/status"
    echo "deb [signed-by=$keys] $mirror bullseye main" >"$fresh/apt/sources.list"
    local own=(-q -o "Dir::Etc::SourceList=$fresh/apt/sources.list" -o "Dir::Etc::SourceParts=$fresh/apt/parts"
        -o "Dir::State::Lists=$fresh/apt/lists" -o "Dir::State::status=$fresh/apt/status" -o "Dir::Cache=$fresh/apt/cache"
        -o Acquire::Check-Valid-Until=false -o Debug::NoLocking=true -o Acquire::Retries=1 -o APT::Sandbox::User=root)
    if timeout 120 apt-get "${own[@]}" update >"$fresh/log" 2>&1 &&
        timeout 300 apt-get "${own[@]}" install --download-only --no-install-recommends -y julia >>"$fresh/log" 2>&1 &&
        for package in "$fresh"/apt/cache/archives/*.deb; do dpkg-deb -x "$package" "$fresh/root" || exit 1; done; then
        rm -rf "$fresh/apt"
        cat >"$fresh/run" <<'SH'
#!/bin/sh
# Julia with its own libraries. Those that the caller has come first: MPI's are among them.
root=$(dirname "$(readlink -f "$0")")/root
lib=$root/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$lib:$lib/julia:$lib/blas:$lib/lapack"
exec "$root/usr/bin/julia" --startup-file=no "$@"
SH
        chmod +x "$fresh/run"
        mv -T "$fresh" "$home" 2>/dev/null || { rm -rf "$fresh"; [[ -d $home ]]; }
    else
        tail -n 3 "$fresh/log" >&2 || true
        touch "$failed"
        rm -rf "$fresh"
        return 1
    fi
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
    julia || skip setup-julia "Julia cannot be had"
    [[ $# -gt 0 ]] || set -- sh -c 'echo "JULIA=$JULIA"; "$JULIA" --version'
    exec env "JULIA=$julia" "$@"
fi
