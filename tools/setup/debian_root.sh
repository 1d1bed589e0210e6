# To be sourced, as root: makes a Debian in a folder, and runs commands in it with the machine's /proc, /sys and /dev.

# make_root SUITE FOLDER [mmdebstrap options]: makes a fresh Debian unless the folder exists
make_root() {
  made_suite=$1 made_root=$2
  shift 2
  [ -d "$made_root" ] || mmdebstrap "$@" "$made_suite" "$made_root" 2> "$made_root.log" || {
    tail -3 "$made_root.log" >&2
    return 1
  }
  cp /etc/resolv.conf "$made_root/etc/resolv.conf"
}

# in_root FOLDER COMMAND...: the mounts are visible to this command alone and end with it
in_root() {
  unshare --mount --propagation private sh -euc '
    root=$1
    shift
    mount --bind "$root" "$root" # a root directory that is no mount has no network namespaces
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/run"
    mount -t tmpfs tmpfs "$root/tmp"
    exec chroot "$root" env HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"' sh "$@"
}
