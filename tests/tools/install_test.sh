#!/bin/sh
# install_test.sh <build folder> <scratch>: installs, moves the prefix, and uses it there: wrappers, weftrun, pkg-config, CMake package,
# module file.
set -eu
build=$1
scratch=$2
programs=$(cd -- "$(dirname -- "$0")" && pwd)/programs
rm -rf "$scratch"
mkdir -p "$scratch"
cmake --install "$build" --prefix "$scratch/first" > "$scratch/log" || { cat "$scratch/log"; exit 1; }
mv "$scratch/first" "$scratch/moved"
prefix=$scratch/moved
cd "$scratch"

# Nothing may name the place it was built or first installed in. (Debugging information may.)
if grep -rlIF -e "$scratch/first" -e "$build" "$prefix"; then
  echo "these name a folder that is gone"
  exit 1
fi

for page in weft weftrun weftinfo weftsim weftcc weftcxx weftfort ondes3d mpirun mpiexec; do
  [ -s "$prefix/share/man/man1/$page.1" ] || { echo "there is no manual page of $page"; exit 1; }
done
for page in README.md docs/README.md docs/guide.md docs/limitations.md; do
  folder=$(dirname "$prefix/share/doc/weft/$page")
  for link in $(grep -oE '\]\([^)]+\)' "$prefix/share/doc/weft/$page" | tr -d '[]()' | grep -v '^http'); do
    [ -e "$folder/$link" ] || { echo "the installed $page leads to $link, which is not there"; exit 1; }
  done
done

grep -q '<prefix>/share/weft/examples/hello.c' "$prefix/share/doc/weft/README.md" || { echo "the installed README names no example"; exit 1; }
"$prefix/bin/weftcc" -o c "$prefix/share/weft/examples/hello.c"
"$prefix/bin/weftfort" -o example_fortran "$prefix/share/weft/examples/hello.f90"
"$prefix/bin/weftcxx" -O2 -std=c++20 -o jacobi2d "$prefix/share/weft/examples/jacobi2d/main.cpp"
timeout 60 "$prefix/bin/weftrun" -n 4 --lb rotate ./jacobi2d --nx 64 --ny 64 --steps 60 > out || { cat out; exit 1; }
"$prefix/bin/mpi/mpicxx" -o cxx "$programs/hello.cpp"
"$prefix/bin/mpi/mpifort" -o fortran "$programs/hello.f90"
gcc -o pc $(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags weft) "$programs/hello.c" \
  $(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --libs weft)
gfortran -o pc_fortran $(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags weft-fortran) "$programs/hello.f90" \
  $(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --libs weft-fortran)
for program in loop.c loop.f90; do
  case $program in *.c) compiler=weftcc ;; *) compiler=weftfort ;; esac
  "$prefix/bin/$compiler" -o loop "$programs/../../iterations/programs/$program" -lweft_iterations -lstdc++ -lm
  timeout 60 "$prefix/bin/weftrun" -n 3 ./loop > out
  grep -q "loops: right" out || { cat out; exit 1; }
done
for file in session.cpp roles.hpp weft_iterations.h weft_iterations_module.f90; do
  [ -s "$prefix/share/weft/iterations/$file" ] || { echo "there is no $file for other MPIs"; exit 1; }
done
for program in c cxx fortran pc pc_fortran; do
  timeout 60 "$prefix/bin/weftrun" -n 4 "./$program" > out
  [ "$(grep -c 'of 4$' out)" = 4 ] || { cat out; exit 1; }
done
timeout 60 "$prefix/bin/mpi/mpiexec" -n 2 ./c
timeout 60 ./c
timeout 100 "$prefix/bin/weftsim" calibrate --quick -q -o here.json > out
"$prefix/bin/weftinfo" | grep -F "$prefix"

mkdir project
cat > project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(uses_weft LANGUAGES C Fortran)
find_package(weft REQUIRED)
add_executable(hello $programs/hello.c)
target_link_libraries(hello PRIVATE weft::mpi)
add_executable(hello_fortran $programs/hello.f90)
target_link_libraries(hello_fortran PRIVATE weft::mpi)
END
cmake -S project -B project/build -DCMAKE_PREFIX_PATH="$prefix" > log
cmake --build project/build > log || { cat log; exit 1; }
timeout 60 "$prefix/bin/weftrun" -n 4 project/build/hello
timeout 60 "$prefix/bin/weftrun" -n 4 project/build/hello_fortran

# A prefix with a space, for those who let the shell read pkg-config's answer.
mv "$prefix" "$scratch/with space"
PKG_CONFIG_PATH="$scratch/with space/lib/pkgconfig"
export PKG_CONFIG_PATH
eval "gcc -o pc_space $(pkg-config --cflags weft) '$programs/hello.c' $(pkg-config --libs weft)"
timeout 60 "$scratch/with space/bin/weftrun" -n 2 ./pc_space

# The module file, whose commands are those of Environment Modules.
if command -v tclsh > /dev/null; then
  module=$(echo "$scratch/with space/share/modulefiles/weft"/*)
  tclsh > module.out << END
proc setenv {name value} { puts "\$name=\$value" }
proc prepend-path {name value} { puts "\$name=\$value"; if {![file isdirectory \$value]} { puts "no \$value" } }
proc module-whatis text {}
proc conflict args {}
set ModulesCurrentModulefile "$module"
source "$module"
END
  for line in "WEFT_HOME=$scratch/with space" "PATH=$scratch/with space/bin" "PATH=$scratch/with space/bin/mpi" \
    "PKG_CONFIG_PATH=$scratch/with space/lib/pkgconfig" "CMAKE_PREFIX_PATH=$scratch/with space"; do
    grep -qxF "$line" module.out || { cat module.out; echo "the module file does not set $line"; exit 1; }
  done
  ! grep "^no " module.out || exit 1
fi

# Of a path with a comma the compiler would make two: one line says so.
mv "$scratch/with space" "$scratch/with,comma"
! "$scratch/with,comma/bin/weftcc" -o c "$programs/hello.c" 2> out || exit 1
grep -q "move it to a path without one" out && [ "$(wc -l < out)" = 1 ] || { cat out; exit 1; }
echo "install: ok"
