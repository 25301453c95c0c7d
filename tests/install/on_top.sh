#!/usr/bin/env bash
# Runs a command of sh on this system with a layer on top, which takes what is written and is gone in the end. Prints what
# the command leaves: every file that is new or another than before, but for caches, logs and dpkg's own.
#
#   on_top.sh FOLDER COMMAND      FOLDER is /mnt for the command
set -euo pipefail
if [[ ${3-} != inside ]]; then
  root=()
  ((EUID == 0)) || root=(--map-root-user)
  exec unshare "${root[@]}" --mount "$0" "$1" "$2" inside
fi
scratch=$(mktemp -d)
mount -t tmpfs tmpfs "$scratch"
mkdir "$scratch"/{upper,work,top}
mount -t overlay overlay -o "lowerdir=/,upperdir=$scratch/upper,workdir=$scratch/work" "$scratch/top"
mount --bind "$1" "$scratch/top/mnt"
mount --rbind /proc "$scratch/top/proc"
chroot "$scratch/top" sh -c "$2" >&2
cd "$scratch/upper"
find . -type f | sed 's|^\.||' | grep -vE '^/(var/cache|var/log|var/lib/dpkg|etc/ld\.so\.cache|dev|tmp)' || true
