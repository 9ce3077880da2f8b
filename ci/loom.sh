#!/usr/bin/env bash
# The models of our protocols under loom: every interleaving with at most three preemptions
# (LOOM_MAX_PREEMPTIONS sets another bound), the smaller ones with any number. Each model has twins
# with a planted fault that must be found.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

export RUSTFLAGS="--cfg loom" LOOM_MAX_PREEMPTIONS=${LOOM_MAX_PREEMPTIONS:-3}
# Optimised, since loom runs each model thousands of times, but with our assertions in and quick to
# build.
export CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true
tests cargo test --release -p sumac-core -p sumac-batch --lib --target-dir "$target/loom" models
