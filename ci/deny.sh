#!/usr/bin/env bash
# Everything that our workspaces depend on has a licence that deny.toml allows and comes from the
# registry. Where cargo-deny is installed, and in `ci/test.sh full`, which builds it in some
# minutes, it checks that and what is known to be wrong with those versions.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

manifests=(Cargo.toml "$rayon" extensions/Cargo.toml)
deny=$(type -P cargo-deny || true)
if [[ -z $deny && -n $full ]]; then
    deny=$target/tools/bin/cargo-deny
    [[ -x $deny ]] || cargo install --quiet --locked --root "$target/tools" cargo-deny --version 0.18.9 || deny=
fi

# allowed LICENCE: whether that expression holds if each licence in it is one that is allowed.
licences=$(sed -n '/^allow = \[/,/^\]/ s/^ *"\(.*\)",$/\1/p' deny.toml)
allowed() {
    local words
    words=$(sed 's: WITH :_WITH_:g; s:/: OR :g; s:[()]: & :g' <<<"$1" | tr -s ' ' '\n' | while read -r word; do
        case $word in
        OR) echo '||' ;;
        AND) echo '&&' ;;
        '(' | ')' | '') echo "$word" ;;
        *) grep -cxF -- "${word//_WITH_/ WITH }" <<<"$licences" || true ;;
        esac
    done)
    [[ $words ]] && ((words))
}

failed=0
fail() { echo "error: $*"; failed=1; }
for manifest in "${manifests[@]}"; do
    if [[ $deny ]]; then
        # Without a network there is no list of what is known to be wrong.
        what=(licenses bans sources)
        if timeout 120 "$deny" --locked --manifest-path "$manifest" fetch db; then what+=(advisories); else notice deny "no advisories can be had"; fi
        "$deny" --locked --manifest-path "$manifest" check --config "$PWD/deny.toml" "${what[@]}" || fail "$manifest"
        continue
    fi
    packages=$(cargo tree --locked --workspace --all-features --target all --edges normal,build,dev --prefix none \
        --manifest-path "$manifest" --format '{p}|{l}|' | sed '/^$/d' | sort -u)
    while IFS= read -r licence; do
        allowed "$licence" || fail "$manifest: the licence '$licence' is not among those of deny.toml:" $(grep -F "|$licence|" <<<"$packages" | cut -d ' ' -f 1)
    done < <(cut -d '|' -f 2 <<<"$packages" | sort -u)
    if grep '^source = ' "${manifest%toml}lock" | grep -v '"registry+https://github.com/rust-lang/'; then fail "$manifest: another source"; fi
    echo "$manifest: $(cut -d ' ' -f 1 <<<"$packages" | sort -u | wc -l) packages"
done
[[ $deny ]] || notice deny "advisories: cargo-deny is not installed"
exit "$failed"
