#!/usr/bin/env bash
# Ranks on two hosts (setup-hosts.sh) that have nothing but a cable in common, on MPICH and on Open MPI: the checks of all that
# ranks do together, the hybrid adder, what happens when one host goes, and how long the adder takes against the link. The
# last is said, not judged: the hosts share the processors of one machine.
#   SUMAC_HOSTS_BYTES     bytes to add against the link; if not said 2^29, and 2^27 in CI
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source ci/setup-mpi.sh

# had NAME: sets `mpi` to the words for it, MPICH by the standard ABI. False if it cannot be had.
had() { if [[ $1 == mpich ]]; then abi "$1"; else mpi "$1"; fi; }

# built NAME, profile NAME: where its programs are, and how the adders are built: for speed with the
# first MPI only, with which they race.
built() { [[ $1 == mpich ]] && echo "$target" || echo "$target/mpi/build-$1"; }
profile() { [[ $1 == "$first" ]] && echo release || echo debug; }

if [[ -z ${HOSTS:-} ]]; then
    ci/setup-hosts.sh true || exit $?
    ready=()
    for name in mpich openmpi; do
        had "$name" || { notice hosts "$name cannot be had"; continue; }
        first=${first:-$name} options=(--target-dir "$(built "$name")")
        [[ $name == mpich ]] || options+=(--features sumac-mpi/mpi)
        "${mpi[@]}" cargo build -q --locked -p sumac-mpi --examples "${options[@]}"
        [[ $(profile "$name") == debug ]] || options+=(--release)
        "${mpi[@]}" cargo build -q --locked -p sumac-adders "${options[@]}"
        ready+=("$name")
    done
    [[ ${#ready[@]} -gt 0 ]] || skip hosts "no MPI can be had"
    exec ci/setup-hosts.sh ci/hosts.sh "${ready[@]}"
fi

# From here on there are hosts.
first=$1 failed=0
fail() { echo "error: $*"; failed=1; }
# Where both hosts see it; setup-hosts.sh removes it.
files=$HOSTS/files
mkdir "$files"

# ranks N COMMAND...: runs it as so many ranks, the first half of them on `left`, where the launcher
# is, the others on `right`.
ranks() {
    local number=$1 launch places
    shift
    places=left:$(((number + 1) / 2)),right:$((number / 2))
    # Of the ways there may be through our hosts' walls, TCP shall be taken.
    case $name in
    mpich) launch=(-launcher ssh -launcher-exec "$HOSTS/ssh" -hosts "$places") ;;
    openmpi) launch=(--prtemca plm_ssh_agent "$HOSTS/ssh" --host "$places" --map-by slot:NOOVERSUBSCRIBE
        --mca pml ob1 --mca btl "tcp,self,sm" --mca osc ^ucx --mca btl_tcp_if_include cable) ;;
    esac
    # The launcher is the environment's.
    # shellcheck disable=SC2016
    timeout --kill-after=1 60 "${mpi[@]}" UCX_TLS=tcp,self FI_PROVIDER="tcp,ofi_rxm" "$HOSTS/on" left \
        sh -c 'exec "$MPIEXEC" "$@"' mpiexec "${launch[@]}" -n "$number" "$@" </dev/null
}

# add RANKS SIZE: the adder's line. ADDER_MODE and the like are the caller's.
add() {
    ranks "$1" "$adder" "$files/$2" "$2"
}

# field NAME LINE: the numbers in that field of a line of JSON, one a line.
field() {
    grep -oE "\"$1\":[[ ]*[0-9][0-9., e+-]*" <<<"$2" | grep -oE '[:,[ ][0-9][0-9.e+-]*' | tr -d ':,[ '
}

# ends WHAT SECONDS WORDS COMMAND...: it fails in time, and says these words.
ends() {
    local what=$1 seconds=$2 words=$3 said status=0 begin=$SECONDS
    shift 3
    # Open MPI ends some lines with a zero byte.
    said=$("$@" 2>&1 | tr -d '\0') || status=$?
    echo "$name, $what: exit code $status after $((SECONDS - begin)) s"
    [[ $status != 0 && $status != 124 ]] || fail "$name, $what: exit code $status"
    [[ $((SECONDS - begin)) -le $seconds ]] || fail "$name, $what: took $((SECONDS - begin)) s"
    grep -qE "$words" <<<"$said" || fail "$name, $what: said '$said'"
}

# endless THEN...: adds for longer than any test waits, and does something else once both hosts are
# at it.
endless() {
    local launcher status=0 before
    before=$("$HOSTS/crossed" left)
    ADDER_WARM=100000000 ADDER_MODE=messages add 2 300007 &
    launcher=$!
    for ((i = 0; i < 100; i++)); do
        [[ $("$HOSTS/crossed" left) -lt $((before + 5000000)) ]] || break
        sleep 0.1
    done
    [[ $i -lt 100 ]] || fail "$name: the ranks did not begin" >&3
    "$@"
    wait "$launcher" || status=$?
    return "$status"
}

adders_of() { "$HOSTS/processes" "$1" "^[^ ]*sumac-mpi $files/300007"; }

lose_rank() {
    # One word for one process.
    # shellcheck disable=SC2046
    kill -9 $(adders_of right) && echo "now lost"
}

# The ranks must end. The launchers may wait for each other until TCP gives up, a quarter of an
# hour, so we end them.
cut_cable() {
    local side process begin=$SECONDS
    "$HOSTS/on" left ip link set cable down
    while [[ -n $(adders_of left)$(adders_of right) && $((SECONDS - begin)) -lt 30 ]]; do sleep 0.1; done
    for process in $(adders_of left) $(adders_of right); do
        fail "$name, cut cable: a rank is left: $(ps -o pid=,state=,wchan=,args= "$process")" >&3
    done
    echo "$name, cut cable: the last rank ended after $((SECONDS - begin)) s" >&3
    for side in left right; do
        "$HOSTS/processes" "$side" 'hydra_pmi_proxy|mpiexec|prte' | xargs --no-run-if-empty kill -9 2>/dev/null || true
    done
    "$HOSTS/on" left ip link set cable up
}
exec 3>&1

head -c 300007 /dev/urandom >"$files/300007"
sum=$(od -An -v -tu1 -w1 "$files/300007" | awk '{ sum += $1 } END { printf "%d", sum }')

for name in "$@"; do
    had "$name"
    echo "-- $name"
    own=$(built "$name")
    adder=$own/$(profile "$name")/sumac-mpi
    export ADDER_THREADS=2 ADDER_WARM=2 ADDER_CHUNK=65536 SUMAC_NUM_THREADS=2

    said=$(ranks 5 "$own/debug/examples/check") || fail "$name: the checks: exit code $?"
    [[ $(grep -c 'all checks passed' <<<"$said" || true) == 5 ]] || fail "$name: the checks said '$said'"

    for number in 2 3 5; do
        for mode in shared messages; do
            before=$("$HOSTS/crossed" left)
            said=$(ADDER_MODE=$mode add "$number" 300007) || fail "$name, $number ranks, $mode: exit code $?"
            crossed=$(($("$HOSTS/crossed" left) - before))
            echo "$number ranks, $mode: $crossed bytes crossed: $said"
            [[ $said == *"\"sum\":$sum,\"ranks\":$number,"* ]] || fail "$name, $number ranks, $mode: '$said', expected $sum"
            # In each of three passes, what the ranks of `right` have to add must cross; or nothing
            # but words, if they share.
            share=$((300000 * (number / 2) / number))
            case $mode in
            messages) [[ $crossed -ge $((3 * share)) ]] || fail "$name, $number ranks: $crossed bytes crossed, expected $((3 * share))" ;;
            shared) [[ $crossed -gt 1000 && $crossed -lt $share ]] || fail "$name, $number ranks: $crossed bytes crossed, expected some, below $share" ;;
            esac
        done
    done

    # A file that one host only has.
    "$HOSTS/on" left cp "$files/300007" /dev/shm/here
    ends "a file that one host only has" 10 'rank 1: /dev/shm/here: No such file' ranks 2 "$adder" /dev/shm/here 300007
    ends "killed rank" 10 'now lost' endless lose_rank
    # Three seconds of time-out, and ten for all else.
    SUMAC_MPI_TIMEOUT=3 ends "cut cable" 13 'waited 3s for rank' endless cut_cable
done

# The link, and the adder on it, in turns: a machine that others use too is not always equally fast.
name=$first
[[ ${CI:-} == true ]] && bytes=$((1 << 27)) || bytes=$((1 << 29))
bytes=${SUMAC_HOSTS_BYTES:-$bytes}
had "$name"
own=$(built "$name") adder=$(built "$name")/$(profile "$name")/sumac-mpi
export ADDER_THREADS=1 ADDER_WARM=5 ADDER_CHUNK=1048576 ADDER_MODE=messages
# Random as far as it matters: blocks of 2^20 random bytes, and what is over.
head -c $((1 << 20)) /dev/urandom >"$files/block"
while cat "$files/block"; do :; done 2>/dev/null | head -c "$bytes" >"$files/$bytes" || true
sum=$(grep -oE '"sum":[0-9]+' <<<"$("$(dirname "$adder")/sumac" "$files/$bytes" "$bytes")")

# race WHAT: the times of both, and the goal, which is about medians: on the bare cable one pass
# takes several times as long as another.
race() {
    local line link=() adder_took=() moved=$((bytes / 2)) before server crossed
    before=$("$HOSTS/crossed" left)
    for _ in 1 2 3; do
        "$HOSTS/on" right "$(dirname "$adder")/link" serve 10.77.0.2:7000 &
        server=$!
        line=$("$HOSTS/on" left "$(dirname "$adder")/link" 10.77.0.2:7000 "$moved" 5) || { fail "the link: exit code $?"; kill "$server"; }
        wait "$server" || fail "the link's other end: exit code $?"
        mapfile -t -O "${#link[@]}" link < <(field warm_us "$line")
        line=$(add 2 "$bytes") || fail "the adder: exit code $?"
        [[ $line == *"$sum,"* ]] || fail "the adder: '$line', expected $sum"
        mapfile -t -O "${#adder_took[@]}" adder_took < <(field warm_us "$line")
    done
    # Both made 15 passes, the adder three first ones as well.
    crossed=$(($("$HOSTS/crossed" left) - before))
    [[ $crossed -ge $((33 * moved)) ]] || fail "$crossed bytes crossed, expected $((33 * moved))"
    # In milliseconds.
    spread() { printf '%s\n' "$@" | sort -g | awk '{ us[NR] = $1 } END { for (i = 0; i <= 4; i++) printf "%.1f%s", us[int(1 + i * (NR - 1) / 4)] / 1e3, i < 4 ? " " : "\n" }'; }
    read -ra link < <(spread "${link[@]}")
    read -ra adder_took < <(spread "${adder_took[@]}")
    echo "$1: $bytes bytes, $moved over the cable: link ${link[*]} ms, adder ${adder_took[*]} ms (minimum, quartiles, maximum)"
    awk -v what="$1" -v moved="$moved" -v link="${link[2]}" -v adder="${adder_took[2]}" 'BEGIN {
        printf "%s: the link gives %.2f GB/s, the adder takes %.2f times as long, the goal is 1.20: %s\n",
            what, moved / link / 1e6, adder / link, adder <= 1.2 * link ? "reached" : "missed" }'
}

race "$name, bare cable"
# Cables as fast as those between real hosts: then processors have time for all they must do.
for rate in 10 4; do
    if "$HOSTS/on" left tc qdisc replace dev cable root tbf rate "${rate}gbit" burst 512kb latency 20ms; then
        race "$name, $rate Gbit/s"
    else
        notice hosts "no slower cable: the kernel has no token bucket filter"
        break
    fi
done
exit "$failed"
