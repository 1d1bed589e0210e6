#!/bin/sh
# install_test.sh <build folder> <scratch>: installs, moves the prefix, and uses it there: wrappers, weftrun, pkg-config, CMake package.
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

"$prefix/bin/weftcc" -o c "$programs/hello.c"
"$prefix/bin/mpi/mpicxx" -o cxx "$programs/hello.cpp"
"$prefix/bin/mpi/mpifort" -o fortran "$programs/hello.f90"
gcc -o pc $(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags weft) "$programs/hello.c" \
  $(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --libs weft)
for program in c cxx fortran pc; do
  timeout 60 "$prefix/bin/weftrun" -n 4 "./$program" > out
  [ "$(grep -c 'of 4$' out)" = 4 ] || { cat out; exit 1; }
done
timeout 60 "$prefix/bin/mpi/mpiexec" -n 2 ./c
timeout 60 ./c
"$prefix/bin/weftinfo" | grep -F "$prefix"

mkdir project
cat > project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(uses_weft LANGUAGES C)
find_package(weft REQUIRED)
add_executable(hello $programs/hello.c)
target_link_libraries(hello PRIVATE weft::mpi)
END
cmake -S project -B project/build -DCMAKE_PREFIX_PATH="$prefix" > log
cmake --build project/build > log || { cat log; exit 1; }
timeout 60 "$prefix/bin/weftrun" -n 4 project/build/hello
echo "install: ok"
