# Uses the installed packages as a user does: run by try_packages.sh in an empty home. Prints the results; ends with an error where one is
# wrong.
cd
examples=/usr/share/weft/examples
cp /packages/hello.cpp "$examples"/hello.* .
echo '== programs'
mpicc -O2 -o hello_c hello.c
mpicxx -O2 -o hello_cxx hello.cpp
mpif90 -O2 -o hello_f hello.f90
for program in hello_c hello_cxx hello_f; do
  for launcher in 'mpirun -n 4' 'mpiexec -n 4' 'weftrun -n 4 --processes 2'; do
    $launcher "./$program" > out
    [ "$(wc -l < out)" = 4 ]
  done
  "./$program" > out # alone
  [ "$(wc -l < out)" = 1 ]
done
mpicxx -O2 -std=c++20 -o jacobi2d "$examples/jacobi2d/main.cpp"
mpirun -n 8 --lb greedy ./jacobi2d --work 4 > out
tail -1 out
cc -o by_pkg_config $(pkg-config --cflags weft) hello.c $(pkg-config --libs weft)
weftrun -n 2 ./by_pkg_config | sort
readelf -d hello_c | grep -E 'NEEDED|RUNPATH'

echo '== programs of Weft'
weftinfo | head -3
weft ps
weftsim calibrate --quick -q -o here.json
weftsim run "$examples/chuetsu.rec" "$examples/two-cores.json" > out
tail -1 out
ondes=/usr/share/weft/ondes3d/cases/chuetsu/chuetsu.prm
weftrun --workers 2 --ratio 2 ondes3d "$ondes" --steps 20 --out seismograms > out
tail -1 out
find seismograms -name '*.png' | grep -q .

echo '== manual pages'
for page in weftrun weft weftsim weftinfo ondes3d; do
  man 1 "$page" | head -1
done
for page in MPI_Send MPI_Allreduce MPI_Win_lock_all; do
  man 3 "$page" | head -1
done

echo '== the tarball, in a home'
tar xzf /packages/weft-*.tar.gz
unpacked=$(echo weft-*/)
"${unpacked}bin/weftcc" -o from_tarball hello.c
"${unpacked}bin/weftrun" -n 3 ./from_tarball > out
[ "$(wc -l < out)" = 3 ]

echo '== a hang, a job that changes'
cat > waits.c << 'PROGRAM'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; argc == 1 ? rank == 2 || i == 0 : access(argv[1], F_OK) != 0; ++i) {
    usleep(1000);
    if (argc > 1) MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
PROGRAM
mpicc -g -o waits waits.c
weftrun -n 4 ./waits &
until weft stacks "$!" 2> /dev/null | grep 'MPI_Barrier'; do
  kill -0 "$!"
  sleep 0.2
done
weft top --count 1 "$!" | head -3
kill "$!"
wait "$!" || true
weftrun -n 4 --workers 2 --survive 1h ./waits go &
until weft resize "$!" 2; do
  kill -0 "$!"
  sleep 0.2
done
touch go
wait "$!"
