#!/bin/sh
# wrappers_test.sh <prefix> <scratch>: the wrappers compile, link, show and refuse as their callers expect.
set -u
prefix=$1
scratch=$2
programs=$(cd -- "$(dirname -- "$0")" && pwd)/programs
bin=$prefix/bin
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1
failures=0

expect() { # expect <what> <command ...>: the command succeeds
  what=$1
  shift
  if ! "$@" > out 2>&1; then
    echo "FAILED: $what: $*"
    cat out
    failures=$((failures + 1))
  fi
}
refuse() { # refuse <text> <command ...>: the command fails and says so
  text=$1
  shift
  if "$@" > out 2>&1 || ! grep -q -- "$text" out; then
    echo "FAILED: should fail with '$text': $*"
    cat out
    failures=$((failures + 1))
  fi
}
says() { grep -q -- "$1" out || { echo "FAILED: no '$1' in:"; cat out; failures=$((failures + 1)); }; }

expect "one step" "$bin/weftcc" -O2 -o one "$programs/hello.c"
expect "a program, not an executable" readelf -hld one
says 'DYN (Shared object file)'
says 'interpreter: /lib64/ld-linux'
expect "an object" "$bin/weftcc" -c -o hello.o "$programs/hello.c"
expect "a link" "$bin/weftcc" -o two hello.o
expect "C++" "$bin/weftcxx" -o three "$programs/hello.cpp"
expect "Fortran" "$bin/weftfort" -o four "$programs/hello.f90"
expect "flags that ask for another kind of file" "$bin/weftcc" -fPIE -pie -fno-pic -o five "$programs/hello.c"
expect "no text relocations" sh -c '! readelf -dW five | grep -E "TEXTREL|FLAGS_1.*PIE"'
expect "flags on an ordinary link" sh -c "gcc \$($bin/weftcc -showme:compile) -c '$programs/hello.c' -o six.o && gcc six.o -o six \$($bin/weftcc -showme:link)"
for linker in gold lld; do
  command -v ld.$linker > /dev/null || continue
  expect "another linker" "$bin/weftcc" -fuse-ld=$linker -o $linker "$programs/hello.c"
  expect "flags on an ordinary link" sh -c "gcc -fuse-ld=$linker six.o -o six-$linker \$($bin/weftcc -showme:link)"
  expect "C++" "$bin/weftcxx" -fuse-ld=$linker -o cxx-$linker "$programs/hello.cpp"
  expect "Fortran" "$bin/weftfort" -fuse-ld=$linker -o fortran-$linker "$programs/hello.f90"
  for program in $linker six-$linker cxx-$linker fortran-$linker; do
    expect "run $program" timeout 60 "$bin/weftrun" -n 4 "./$program"
    expect "no rank of $program is spoilt" sh -c '! grep SPOILT out'
  done
done
for program in one two three four five six; do
  expect "run $program" timeout 60 "$bin/weftrun" -n 4 "./$program"
  expect "no rank of $program is spoilt" sh -c '! grep SPOILT out'
done

expect "a program without weftrun" timeout 60 ./one
says 'rank 0 of 1'
expect "a ratio without weftrun" env WEFT_RATIO=3 WEFT_WORKERS=1 timeout 60 ./one
says 'rank 2 of 3'

expect "a program that is linked without the wrappers" gcc -I"$prefix/include" -o stranger "$programs/hello.c" -L"$prefix/lib" -lmpi_abi -Wl,-rpath,"$prefix/lib"
refuse 'MPI_Init: no job runs in this process: link the program with weftcc' timeout 60 ./stranger
[ "$(wc -l < out)" = 1 ] || { echo "FAILED: one line:"; cat out; failures=$((failures + 1)); }

expect "a shared library" "$bin/weftcc" -shared -o libpart.so "$programs/../findmpi/part.c"
expect "no start in a library" sh -c '! readelf -sW libpart.so | grep weft_main'
expect "a program with it" "$bin/weftcc" -o seven "$programs/../findmpi/uses_part.c" -L. -lpart -Wl,-rpath,"$scratch"
expect "run it" timeout 60 "$bin/weftrun" -n 4 ./seven

expect -show "$bin/mpi/mpicc" -show
says '-lmpi_abi'
expect -showme:incdirs "$bin/mpi/mpicxx" -showme:incdirs
says "$prefix/include"
expect -compile_info "$bin/mpi/mpif90" -compile_info
says '-fPIC'
expect -link_info "$bin/mpi/mpif90" -link_info
says '-lmpifort_abi -lmpi_abi'
expect "another compiler" env WEFT_CC=some-compiler "$bin/weftcc" -show
says '^some-compiler '
expect "the compiler's version" "$bin/weftcc" --version
expect "help" "$bin/weftfort" --help
says 'WEFT_FC=COMPILER'
says "Usage: $(basename "$("$bin/weftfort" -showme:command)")"
echo 'int one(void) { return 1; }' > part.c
expect "C through the Fortran wrapper" "$bin/weftfort" -c part.c -o part.o
[ ! -s out ] || { echo "FAILED: a warning:"; cat out; failures=$((failures + 1)); }
expect "preprocessing" "$bin/weftcc" -E "$programs/hello.c"
refuse "cannot be static" "$bin/weftcc" -static "$programs/hello.c"
for sanitizer in address thread leak undefined,address; do
  refuse "'-fsanitize=$sanitizer': this sanitizer's library must" "$bin/weftcc" -fsanitize=$sanitizer -o refused "$programs/hello.c"
  [ "$(wc -l < out)" = 1 ] || { echo "FAILED: one line: $sanitizer"; failures=$((failures + 1)); }
done
refuse "'-pg': gprof's start must" "$bin/weftcxx" -pg -c "$programs/hello.cpp"
cat > overflow.c << 'END'
#include <limits.h>
#include <mpi.h>
int main(int count, char** words) {
  MPI_Init(&count, &words);
  int large = INT_MAX;
  large += count;
  MPI_Finalize();
  return large == 0;
}
END
if echo 'int main(void) { return 0; }' | "$("$bin/weftcc" -showme:command)" -fsanitize=undefined -xc - -o undefined 2> /dev/null; then
  expect "the sanitizer that works" "$bin/weftcc" -fsanitize=undefined -o overflow overflow.c
  expect "run it" timeout 60 "$bin/weftrun" -n 2 ./overflow
  says 'overflow.c:6:.* signed integer overflow'
fi
printf "      program one\n      include 'mpif.h'\n      end\n" > kinds.f
for option in -fdefault-integer-8 -freal-8-real-16 -freal-8-real-4; do
  refuse "'$option': MPI's integers have 4 bytes" "$bin/weftfort" $option -c kinds.f
done
expect "mpif.h under options for reals" "$bin/weftfort" -fdefault-real-8 -c kinds.f
refuse "is INTEGER(8)" gfortran -fdefault-integer-8 -I"$("$bin/weftfort" -showme:incdirs | tr -d ' ')" -c kinds.f
# Module mpi_f08 says which arguments a call writes.
f08() { # f08 <call>: a routine that calls so
  printf 'subroutine one(comm, name)\nuse mpi_f08\ntype(MPI_Comm), intent(in) :: comm\ncharacter(8), intent(in) :: name\ninteger :: size\ncall %s\nend\n' \
    "$1" > one.f90
}
f08 'MPI_Comm_set_name(comm, name // "s")'
expect "arguments that are only read" "$bin/weftfort" -c one.f90
for call in 'MPI_Comm_size(comm, 7)' 'MPI_Comm_free(comm)' 'MPI_Comm_get_name(comm, name, size)' 'MPI_Comm_dup(MPI_COMM_SELF, comm)'; do
  f08 "$call"
  refuse "variable definition context (actual argument to INTENT = " "$bin/weftfort" -c one.f90
done
refuse "unknown option '-showme:nothing'" "$bin/weftcc" -showme:nothing
refuse "unknown option '-showme:?thing'" "$bin/weftcc" "$(printf '%b' '-showme:\033thing')"
echo 'int missing(void); int main(void) { return missing(); }' > missing.c
refuse "undefined reference" "$bin/weftcc" missing.c -o missing

mkdir "with space"
ln -s "$bin/weftcc" "with space/cc"
expect "through a link" "with space/cc" -o eight "$programs/hello.c"
ln -s "$bin/mpi" folder
expect "through a link to the folder" folder/mpicc -o nine "$programs/hello.c"

cat > Makefile <<END
CC = mpicc
hello: hello.o
	\$(CC) \$(LDFLAGS) -o \$@ hello.o
END
cp "$programs/hello.c" .
rm hello.o
PATH=$bin/mpi:$PATH
expect "a Makefile" make hello
expect "mpirun" timeout 60 mpirun -np 3 --oversubscribe -q ./hello
says 'rank 2 of 3'

[ $failures = 0 ] && echo "wrappers: ok"
exit $failures
