#!/usr/bin/env bash
# Makes two hosts of this one, and runs a command beside them:
#   ci/setup-hosts.sh COMMAND...
# They are called `left` (10.77.0.1) and `right` (10.77.0.2). Each has a network, a name, System V memory and a /dev/shm of
# its own, so nothing but the cable between them carries bytes from one to the other; files, processors and users they share.
# In the command's environment, HOSTS is a folder with
#   on HOST COMMAND...      runs a command there
#   ssh HOST WORDS...       the same, for launchers that expect ssh: options before the host are ignored, a shell reads the words
#   crossed HOST            how many bytes HOST has sent over the cable
#   processes HOST WORDS    the numbers of the processes there whose command line has these words
# It has room for files that both hosts see. TMPDIR is in it. What is written to /tmp is not kept.
# All of it is in namespaces of one process, which ends with this script, however that ends: no other process sees them, and nothing
# is left: no process, no interface, no mount, no file. Needs root or user namespaces, and `ip`; exits with 77 where that cannot be had.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [[ ${1:-} != --inside ]]; then
    command -v ip nsenter unshare setpriv >/dev/null || debian iproute2 || skip hosts "no \`ip\`: install iproute2"
    command -v ip nsenter unshare setpriv >/dev/null || skip hosts "no nsenter, unshare or setpriv: install util-linux"
    # The outermost of the hosts' namespaces. The process that is first in a PID namespace takes all others
    # in it along.
    around=(setpriv --pdeathsig KILL unshare --net --mount --pid --fork --kill-child --mount-proc)
    [[ $(id -u) == 0 ]] || around+=(--map-root-user)
    "${around[@]}" ip link add name cable type veth peer name cable2 || skip hosts "namespaces cannot be made here: root, or user namespaces, are needed"
    # The folder stays empty: what is in it is mounted inside only.
    HOSTS=$target/hosts
    mkdir -p "$HOSTS"
    export HOSTS
    "${around[@]}" ci/setup-hosts.sh --inside "$@" &
    inside=$!
    # Who waits for the first process in a PID namespace has waited for all others.
    trap 'pkill -KILL -P "$inside" || kill -KILL "$inside" 2>/dev/null || true; wait "$inside" 2>/dev/null || true' EXIT
    trap 'exit 130' INT TERM HUP
    wait "$inside" && exit 0 || exit $?
fi
shift

mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$HOSTS"
mount -t tmpfs tmpfs /dev/shm
# What is in /tmp is seen; what is written there (MPICH's launcher does, whatever TMPDIR says) is
# lost with the rest. It may have our folder in it.
mkdir "$HOSTS/over" "$HOSTS/work"
repository=$PWD
cd "$HOSTS"
mount -t overlay -o "lowerdir=/tmp,upperdir=$HOSTS/over,workdir=$HOSTS/work" overlay /tmp || echo "note: /tmp is not covered"
[[ -d $HOSTS/over ]] || mount --no-canonicalize --bind /proc/self/cwd "$HOSTS"
cd "$repository"
export TMPDIR=$HOSTS/tmp
mkdir -m 1777 "$TMPDIR"
printf '127.0.0.1 localhost\n10.77.0.1 left\n10.77.0.2 right\n' >"$HOSTS/names"
mount --bind "$HOSTS/names" /etc/hosts

declare -A pid
# host NAME: a process that keeps the namespaces of a host.
host() {
    # Expanded by the inner shell. Without a view of its devices in /sys a host can do; some MPIs
    # look there. shellcheck disable=SC2016
    unshare --net --uts --ipc --mount sh -c 'hostname "$0" && mount -t tmpfs tmpfs /dev/shm && ip link set lo up &&
        { mount -t sysfs sysfs /sys || true; } && echo ready >"$1" && exec sleep infinity' "$1" "$HOSTS/$1" &
    pid[$1]=$!
    until [[ -s $HOSTS/$1 ]]; do
        kill -0 "${pid[$1]}" || { echo "error: no host $1"; exit 1; }
        sleep 0.02
    done
    echo "${pid[$1]}" >"$HOSTS/$1"
}
host left
host right

cat >"$HOSTS/on" <<'EOF'
#!/bin/sh
pid=$(cat "$HOSTS/$1") && shift && exec nsenter --target "$pid" --net --uts --ipc --mount "$@"
EOF
cat >"$HOSTS/ssh" <<'EOF'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec "$HOSTS/on" "$host" sh -c "$*"
EOF
cat >"$HOSTS/crossed" <<'EOF'
#!/bin/sh
"$HOSTS/on" "$1" cat /proc/net/dev | awk '$1 == "cable:" { print $10 }'
EOF
cat >"$HOSTS/processes" <<'EOF'
#!/bin/sh
net=$(readlink "/proc/$(cat "$HOSTS/$1")/ns/net")
for process in $(pgrep -f -- "$2"); do
    [ "$(readlink "/proc/$process/ns/net")" != "$net" ] || echo "$process"
done
EOF
chmod +x "$HOSTS"/{on,ssh,crossed,processes}

ip link add name cable netns "${pid[left]}" type veth peer name cable netns "${pid[right]}"
number=0
for name in left right; do
    number=$((number + 1))
    "$HOSTS/on" "$name" ip address add "10.77.0.$number/24" dev cable
    "$HOSTS/on" "$name" ip link set cable up
done
# Both ends are up when both have been told that the other is.
for name in left right; do
    until [[ $("$HOSTS/on" "$name" ip -brief link show cable) == *" UP "* ]]; do sleep 0.02; done
done
"$@"
