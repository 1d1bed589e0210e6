! What a Fortran rank takes along on its moves: COMMON, SAVE, module variables, allocatables, deferred-length strings,
! internal units. Prints "all right" once.
module state
  implicit none
  real(8), allocatable :: field(:, :)
  character(len=:), allocatable :: word
  integer :: counter = 0
end module state

program moves_fortran
  use mpi
  use state
  implicit none
  integer :: rank, ranks, ierror, round, faults, all_faults, common_value
  character(len=32) :: line
  real(8), pointer :: view(:)
  real(8), allocatable, target :: store(:)
  common /shared/ common_value
  interface
    integer function weft_migrate() bind(c, name='MPI_Migrate')
    end function weft_migrate
  end interface

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  faults = 0
  common_value = 10 * rank
  allocate (field(300, 200))
  field = rank
  allocate (store(1000))
  store = rank
  view => store(10:20)
  word = 'rank'
  do round = 1, 8
    write (line, '(i0,a,i0)') rank, ' in round ', round
    word = word // '+'
    counter = counter + round
    common_value = common_value + 1
    field(round, 1) = round
    view(1) = round
    ierror = weft_migrate()
    if (common_value /= 10 * rank + round) faults = faults + 1
    if (counter /= round * (round + 1) / 2 .or. calls() /= round) faults = faults + 1
    if (len(word) /= 4 + round) faults = faults + 1
    if (field(round, 1) /= round .or. field(300, 200) /= rank) faults = faults + 1
    if (store(10) /= round .or. view(2) /= rank) faults = faults + 1
    if (index(line, ' in round ') == 0) faults = faults + 1
  end do
  call MPI_Reduce(faults, all_faults, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0) then
    if (all_faults == 0) then
      print '(a)', 'all right'
    else
      print '(a,i0)', 'SPOILT ', all_faults
    end if
  end if
  call MPI_Finalize(ierror)

contains

  integer function calls()
    integer, save :: so_far = 0
    so_far = so_far + 1
    calls = so_far
  end function calls

end program moves_fortran
