// Every call that takes a buffer, with MPI_BOTTOM and addresses as types' offsets or as displacements.
#include <initializer_list>

#include "bottom.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  for (const Form form : {Form::blocking, Form::request, Form::persistent}) {
    call_collectives(form);
    call_reductions(form);
    call_neighbours(form);
    MPI_Migrate();
  }
  send_messages();
  MPI_Migrate();
  access_windows();
  MPI_Migrate();
  access_files();
  int all = 0;
  MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, world);
  if (rank == 0) {
    std::printf("%d faults\n", all);
  }
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
