! Every rank prints to standard output and error; then the job ends as the argument says.
program output
  use iso_fortran_env, only: error_unit, output_unit
  use iso_c_binding, only: c_int
  use mpi
  implicit none
  interface
    subroutine c_exit(code) bind(c, name='_exit')
      import c_int
      integer(c_int), value :: code
    end subroutine
    subroutine c_abort() bind(c, name='abort')
    end subroutine
    integer(c_int) function c_raise(number) bind(c, name='raise')
      import c_int
      integer(c_int), value :: number
    end function
  end interface
  character(20) :: how
  integer :: rank, error, status(MPI_STATUS_SIZE)
  double precision :: burnt
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call get_command_argument(1, how)
  print '(a,i0)', 'first of ', rank
  write (output_unit, '(a,i0)') 'second of ', rank
  write (error_unit, '(a,i0)') 'third of ', rank
  print *, 'fourth of', rank
  call MPI_Barrier(MPI_COMM_WORLD, error)
  if (rank == 0) then
    select case (how)
    case ('stop')
      stop 3
    case ('_exit')
      call c_exit(3)
    case ('abort')
      call c_abort()
    case ('crash')
      error = c_raise(11)
    case ('MPI_Abort')
      call MPI_Abort(MPI_COMM_WORLD, 3, error)
    case ('error')
      call MPI_Send(rank, 1, MPI_INTEGER, 99, 0, MPI_COMM_WORLD, error)
    case ('deadlock')
      call MPI_Recv(error, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, status, error)
    case ('forever')
      burnt = 0
      do while (burnt >= 0)
        burnt = burnt + MPI_Wtime() * 1d-99
      end do
      print *, burnt
    end select
  end if
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program
