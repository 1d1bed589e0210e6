#!/bin/sh
# findmpi_test.sh <prefix> <scratch>: CMake's find_package(MPI) takes the wrappers that PATH offers; the programs run.
set -eu
prefix=$1
scratch=$2
here=$(cd -- "$(dirname -- "$0")" && pwd)
PATH=$prefix/bin/mpi:$PATH
export PATH
rm -rf "$scratch"
mkdir -p "$scratch"

cmake -S "$here/findmpi" -B "$scratch/found" -DPROGRAMS="$here/programs" > "$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
grep -q "Found MPI_C: $(cd "$prefix" && pwd -P)/lib/libmpi_abi.so" "$scratch/log" || { cat "$scratch/log"; exit 1; }
cmake --build "$scratch/found" -j 2 > "$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
(cd "$scratch/found" && ctest --output-on-failure --timeout 60)

# The wrappers as the project's compilers.
cmake -S "$here/findmpi" -B "$scratch/compilers" -DPROGRAMS="$here/programs" -DCMAKE_C_COMPILER=mpicc \
  -DCMAKE_CXX_COMPILER=mpicxx -DCMAKE_Fortran_COMPILER=mpifort > "$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
cmake --build "$scratch/compilers" -j 2 > "$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
(cd "$scratch/compilers" && ctest --output-on-failure --timeout 60)
