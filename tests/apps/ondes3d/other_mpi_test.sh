#!/bin/sh
# ondes3d with MPICH and Open MPI: it builds unchanged and gives the bits that it gives under Weft. One is built for any
# x86-64 processor and without vectors, so that nothing may hang on those either. The program that draws is built with the first one, and
# is found beside ondes3d or in PATH.
# usage: other_mpi_test.sh <folder of weftrun and ondes3d> <folder of the case> <scratch folder> <folder of the Makefile>
#        <folder for objects>; ends with 77 where neither is installed
set -eu
bin=$1 scratch=$3 sources=$4 objects=$5
. "$(dirname "$0")/same_bits.sh"
unset MAKEFLAGS MAKELEVEL

found=
for mpi in mpich openmpi; do
  if command -v mpicxx.$mpi > /dev/null && command -v mpirun.$mpi > /dev/null; then
    found="$found $mpi"
  else
    echo "other_mpi_test: $mpi is left out, there is no mpicxx.$mpi"
  fi
done
[ -n "$found" ] || exit 77

small_case "$2"
for precision in single double; do
  flag=
  [ $precision = single ] || flag=--double
  # shellcheck disable=SC2086
  run weft-$precision "$bin/weftrun" -n 8 --workers 2 --lb rotate "$bin/ondes3d" "$scratch/small.prm" --migrate-every 1 \
    $flag
  moved weft-$precision
done
compiler=g++
! command -v ccache > /dev/null || compiler="ccache g++"
drawing=
for mpi in $found; do
  if [ "$mpi" = mpich ]; then
    flags=-O1 native= launch="mpirun.mpich"
  else
    flags=-O2 native=-march=native launch="mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none"
  fi
  MPICH_CXX=$compiler OMPI_CXX=$compiler make -s -j2 -f "$sources/Makefile" CXX=mpicxx.$mpi PICTURES_CXX="$compiler" ${drawing:+CAIRO=} \
    BUILD="$objects/$mpi" CXXFLAGS=$flags NATIVE=$native TOGETHER=yes > "$scratch/$mpi.build" 2>&1 || { tail -n 20 "$scratch/$mpi.build"; fail "does not build with $mpi"; }
  for precision in single double; do
    flag=
    [ $precision = single ] || flag=--double
    for ranks in 1 4; do
      # shellcheck disable=SC2086
      run $mpi-$precision-$ranks $launch -n $ranks "$objects/$mpi/ondes3d" "$scratch/small.prm" $flag
      same $mpi-$precision-$ranks weft-$precision
    done
  done
  drawing=${drawing:-$objects/$mpi}
  # shellcheck disable=SC2086
  PATH=$drawing:$PATH timeout 300 $launch -n 2 "$objects/$mpi/ondes3d" "$scratch/small.prm" --steps 10 --pictures svg \
    --out "$scratch/drawn-$mpi" > "$scratch/drawn-$mpi.log" 2>&1 || { cat "$scratch/drawn-$mpi.log"; fail "no pictures with $mpi"; }
  [ -s "$scratch/drawn-$mpi/seismograms.svg" ] || grep -q "no pictures" "$scratch/drawn-$mpi.log" || fail "no picture with $mpi"
  [ ! -e "$drawing/ondes3d-pictures" ] || [ -s "$scratch/drawn-$mpi/seismograms.svg" ] || fail "$mpi's ranks start no program"
done
