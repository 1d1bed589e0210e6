#!/bin/sh
# tools/setup/install.sh with other programs in place of Debian's: who may install, what is said to who may not.
# packages_test.sh <source folder> <scratch folder>
set -u
install=$1/tools/setup/install.sh
scratch=$2
. "$(dirname -- "$0")/check.sh"

mkdir bin
program() { # program <name>: what it does comes from standard input
  { echo '#!/bin/sh'; cat; } > "bin/$1"
  chmod +x "bin/$1"
}
for name in sh sed grep tr env dirname cat; do # and no sudo
  ln -s "$(command -v $name)" "bin/$name"
done
program dpkg-query << 'END_PROGRAM'
for package; do :; done
for gone in $GONE; do
  [ "$package" != "$gone" ] || exit 1
done
printf 'install ok installed'
END_PROGRAM
program apt-cache << 'END_PROGRAM'
[ "$2" = clang-tidy-16 ] || echo "Package: $2"
END_PROGRAM
program apt-get << END_PROGRAM
echo "apt-get \$*" >> "$scratch/calls"
END_PROGRAM
program id << 'END_PROGRAM'
echo "$ID"
END_PROGRAM
setup() { # setup <user id> <packages that are not there> [arguments]
  ID=$1 GONE=$2
  export ID GONE
  shift 2
  : > calls
  PATH=$scratch/bin "$scratch/bin/sh" "$install" "$@"
}
not_called() {
  ! grep -q "install" calls || fail "apt-get was called: $(cat calls)"
}

silent() {
  { "$@" > out 2>&1 && [ ! -s out ]; } || fail "this should succeed without a word: $*"
}
silent setup 1000 ''

# Nobody may become root: one line, in which the packages' names can be copied.
line='this user may not install them. An administrator runs: apt-get install cmake libfmt-dev$'
check 1 "$line" setup 1000 'cmake libfmt-dev' build
[ "$(wc -l < out)" = 1 ] || fail 'more than one line'
not_called
check 1 'apt-get install cmake zsh libmetis-dev$' setup 1000 'libmetis-dev cmake zsh'
check 1 'apt-get install clang-tidy-19$' setup 1000 'clang-tidy-16 clang-tidy-19'
# The build wants nothing that only tests want, and goes on without what it can spare.
silent setup 1000 'libgtest-dev zsh gdb' build
check 0 'going on without libmetis-dev libpapi-dev:' setup 1000 'libmetis-dev libpapi-dev' build

# sudo wants a password, for which nobody can be asked here, or refuses.
program sudo << 'END_PROGRAM'
[ "$1" = -n ] || echo asked >> "$ASKED"
echo "sudo: a password is required" >&2
exit 1
END_PROGRAM
ASKED=$scratch/asked
export ASKED
check 1 "$line" setup 1000 'cmake libfmt-dev' build
[ "$(wc -l < out)" = 1 ] || fail 'more than one line'
[ ! -e asked ] || fail 'a password was asked for'
not_called

program sudo << 'END_PROGRAM'
[ "$1" != -n ] || shift
exec "$@"
END_PROGRAM
check 0 'installing cmake libmetis-dev$' setup 1000 'cmake libmetis-dev'
grep -q '^apt-get install .* cmake libmetis-dev$' calls || fail 'sudo was not used'
rm bin/sudo
check 0 'installing clang-tidy-16|clang-tidy-19$' setup 0 'clang-tidy-16 clang-tidy-19'
grep -q '^apt-get update' calls && grep -q '^apt-get install .* clang-tidy-19$' calls || fail 'root did not install'
exit "$failures"
