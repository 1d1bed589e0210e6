#!/bin/sh
# Builds the packages into build/package/packages: four of Debian, for the Debian this runs on, and a tarball that may be unpacked anywhere.
#   tools/packages.sh [deb] [tgz] [cmake options]     those, or both
# -DCPACK_PACKAGE_CONTACT='Name <address>' sets their maintainer. If lintian is installed it checks the Debian packages.
set -eu
cd -- "$(dirname -- "$0")/.."
sh tools/setup/install.sh
. tools/setup/build.sh
kinds=
while [ "${1-}" = deb ] || [ "${1-}" = tgz ]; do
  kinds="$kinds $1"
  shift
done
packages=build/package/packages
rm -rf "$packages"
for kind in ${kinds:-deb tgz}; do
  layout=OFF
  [ "$kind" = tgz ] || layout=ON
  build package -DWEFT_DEBIAN_LAYOUT=$layout "$@"
  (cd build/package && cpack) > build/package/cpack.log 2>&1 || {
    cat build/package/cpack.log >&2
    exit 1
  }
  rm -rf "$packages/_CPack_Packages"
done
if ls "$packages"/*.deb > /dev/null 2>&1 && command -v lintian > /dev/null; then
  lintian --fail-on error,warning --tag-display-limit 0 "$packages"/*.deb
fi
ls "$packages"/*
