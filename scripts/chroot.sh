# A minimal Debian 12 in a chroot, for tests of a fresh machine. Sourced after common.sh, not run. Needs root,
# debootstrap, Debian's archive and a network.
#
#   tc_chroot_make FOLDER MIRROR CERTIFICATES PACKAGES   makes FOLDER/tc-fresh.XXXXXX and sets `fresh` to it
#   tc_chroot_run COMMAND LINE                           in it, in namespaces of its own, with an empty environment
#   tc_chroot_remove                                     removes it
#
# CERTIFICATES is a file with authorities to trust in addition to Debian's, or empty.

tc_chroot_make() {
  local dir=$1 mirror=$2 certificates=$3 packages=$4 tool
  [ "$(id -u)" -eq 0 ] || die "expected to run as root, which debootstrap and chroot need"
  for tool in debootstrap unshare chroot; do
    command -v "$tool" >/dev/null || die "expected $tool on PATH: apt-get install debootstrap util-linux coreutils"
  done
  [ -z "$certificates" ] || [ -r "$certificates" ] || die "--certificates: expected a file, got '$certificates'"
  fresh=$(mktemp -d "$dir/tc-fresh.XXXXXX")
  # apt downloads as a user of its own.
  chmod 755 "$fresh"
  debootstrap --variant=minbase --include="$packages" bookworm "$fresh" "$mirror/debian" >"$fresh.log" 2>&1 ||
    { tail -20 "$fresh.log" >&2; rm -f "$fresh.log"; die "debootstrap failed"; }
  rm -f "$fresh.log"
  # The archives that an installed Debian 12 has.
  cat >"$fresh/etc/apt/sources.list" <<SOURCES
deb $mirror/debian bookworm main
deb $mirror/debian bookworm-updates main
deb $mirror/debian-security bookworm-security main
SOURCES
  # No service may start in a chroot.
  printf '#!/bin/sh\nexit 101\n' >"$fresh/usr/sbin/policy-rc.d"
  chmod 755 "$fresh/usr/sbin/policy-rc.d"
  cp -L /etc/resolv.conf "$fresh/etc/resolv.conf"
  [ -z "$certificates" ] || cat "$certificates" >>"$fresh/etc/ssl/certs/ca-certificates.crt"
}

tc_chroot_run() {
  unshare --mount --pid --fork --kill-child bash -ec '
    mount -t proc -o nosuid,nodev,noexec proc "$1/proc"
    mount -t tmpfs -o nosuid,nodev tmpfs "$1/dev/shm"
    exec env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      chroot "$1" bash -ec "$2"' inside "$fresh" "$1" </dev/null
}

# Nothing is mounted below it in this namespace; never leaves the file system.
tc_chroot_remove() {
  [ -z "${fresh:-}" ] || rm -rf --one-file-system "$fresh"
}
