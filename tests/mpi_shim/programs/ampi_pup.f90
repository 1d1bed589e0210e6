! As ampi_pup.c, from Fortran: an allocatable array in a derived type, with module pupmod.
module fields
  use pupmod
  implicit none
  type field
    integer :: length, unpacked
    logical :: marked
    character(len=12) :: name
    real(kind=8), pointer :: cells(:,:)
  end type
contains
  subroutine pup_field(p, f)
    integer :: p
    type(field) :: f
    call fpup_int(p, f%length)
    call fpup_logical(p, f%marked)
    call pup(p, f%name)
    if (fpup_isunpacking(p)) then
      allocate(f%cells(f%length, 3))
      f%unpacked = f%unpacked + 1
    end if
    call fpup_doubles(p, f%cells, 2 * f%length)
    call pup(p, f%cells(:, 3))
    call pup(p, f%cells(1:f%length:2, 1))
    if (fpup_isdeleting(p)) deallocate(f%cells)
  end subroutine
end module

program ampi_pup
  use mpi
  use fields
  implicit none
  type(field), target :: mine
  integer :: ierror, rank, index, step, i, crossings, before
  integer(kind=MPI_ADDRESS_KIND) :: now
  logical :: flag
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  mine%length = 5000 + rank
  mine%unpacked = 0
  mine%marked = .true.
  mine%name = 'a field'
  allocate(mine%cells(mine%length, 3))
  do i = 1, mine%length
    mine%cells(i, :) = [real(rank, 8), real(i, 8), real(i + rank, 8)]
  end do
  call AMPI_Register_pup(pup_field, mine, index, ierror)
  crossings = 0
  do step = 1, 5
    call MPI_Comm_get_attr(MPI_COMM_WORLD, AMPI_MY_PROCESS, now, flag, ierror)
    before = int(now)
    call AMPI_Migrate(AMPI_INFO_LB_SYNC, ierror)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, AMPI_MY_PROCESS, now, flag, ierror)
    if (int(now) /= before) crossings = crossings + 1
    if (mine%unpacked /= crossings .or. .not. mine%marked .or. mine%name /= 'a field') call wrong('the parts')
    do i = 1, mine%length
      if (any(mine%cells(i, :) /= [real(rank, 8), real(i, 8), real(i + rank, 8)])) call wrong('the cells')
    end do
  end do
  deallocate(mine%cells)
  call AMPI_Set_migratable(0, ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  if (rank == 0) print *, 'all fields right'
  call MPI_Finalize(ierror)
contains
  subroutine wrong(what)
    character(len=*) :: what
    print *, 'wrong: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end subroutine
end program
