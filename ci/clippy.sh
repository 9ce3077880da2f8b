#!/usr/bin/env bash
# No warning from rustc or clippy in any target of the libraries. The workspace's lints deny among
# other things an unsafe block without SAFETY comment and a std item newer than our minimum Rust.
# Also fails if Cargo.lock is out of date. lab.sh looks at the rest of the workspace, features.sh at
# what features add, mpi.sh at what needs an MPI.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cargo clippy --version >/dev/null 2>&1 || toolchain "$stable" -c clippy || skip clippy "clippy cannot be had"
"${with[@]}" cargo clippy --locked "${libraries[@]/#/-p}" --all-targets -- -D warnings
"${with[@]}" cargo clippy --locked --manifest-path "$rayon" --workspace --all-targets -- -D warnings
