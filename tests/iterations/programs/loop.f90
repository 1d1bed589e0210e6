! A loop whose tallies are known, from Fortran.
program loop
  use mpi_f08
  use weft_iterations
  use, intrinsic :: iso_c_binding
  implicit none
  type(weft_iterations_options) :: options
  type(weft_iterations_stats) :: stats
  type(c_ptr) :: handle
  integer(c_int64_t), target :: counts(2)
  real(c_double), target :: sums(1)
  integer(c_int64_t) :: first, count, i, all(2)
  integer(c_int64_t), parameter :: total = 2000
  integer :: rank, code
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  options%counts = c_loc(counts)
  options%counts_length = 2
  options%sums = c_loc(sums)
  options%sums_length = 1
  code = weft_iterations_begin(MPI_COMM_WORLD%mpi_val, total, options, handle)
  if (code /= WEFT_ITERATIONS_OK) error stop 'begin'
  do
    code = weft_iterations_next(handle, first, count)
    if (code /= WEFT_ITERATIONS_OK) error stop 'next'
    if (count == 0) exit
    do i = first, first + count - 1
      counts = counts + [i, 1_c_int64_t]
      sums(1) = sums(1) + 0.5_c_double
    end do
    code = weft_iterations_report(handle, count)
  end do
  code = weft_iterations_end(handle, stats)
  if (code /= WEFT_ITERATIONS_OK .or. c_associated(handle) .or. stats%credited /= counts(2)) error stop 'end'
  call MPI_Reduce(counts, all, 2, MPI_INTEGER8, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) then
    if (all(1) /= total * (total - 1) / 2 .or. all(2) /= total) error stop 'tallies'
    print '(a)', 'loops: right'
  end if
  call MPI_Finalize()
end program
