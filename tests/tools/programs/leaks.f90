! Leaves a communicator and a request on every rank.
program leaks
  use mpi
  implicit none
  integer :: ierr, comm, request, word
  call MPI_Init(ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr) ! not freed
  call MPI_Irecv(word, 1, MPI_INTEGER, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, request, ierr) ! not completed
  call MPI_Finalize(ierr)
end program leaks
