! A data representation whose functions are Fortran's: integers lie in the file with their sign turned, in eight bytes.
module turned
  implicit none
  integer :: calls = 0
contains
  subroutine write_turned(userbuf, datatype, count, filebuf, position, extra, ierror)
    use mpi
    integer :: datatype, count, ierror, i
    integer :: userbuf(*)
    integer(8) :: filebuf(*)
    integer(kind=MPI_OFFSET_KIND) :: position
    integer(kind=MPI_ADDRESS_KIND) :: extra
    if (datatype /= MPI_INTEGER .or. position /= 0 .or. extra /= 77) stop 'write_turned: arguments'
    do i = 1, count
      filebuf(i) = -userbuf(i)
    end do
    calls = calls + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine read_turned(userbuf, datatype, count, filebuf, position, extra, ierror)
    use mpi
    integer :: datatype, count, ierror, i
    integer :: userbuf(*)
    integer(8) :: filebuf(*)
    integer(kind=MPI_OFFSET_KIND) :: position
    integer(kind=MPI_ADDRESS_KIND) :: extra
    if (datatype /= MPI_INTEGER .or. position /= 0 .or. extra /= 77) stop 'read_turned: arguments'
    do i = 1, count
      userbuf(i) = int(-filebuf(i))
    end do
    calls = calls + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine extent_turned(datatype, extent, extra, ierror)
    use mpi
    integer :: datatype, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extent, extra
    if (datatype /= MPI_INTEGER .or. extra /= 77) stop 'extent_turned: arguments'
    extent = 8
    ierror = MPI_SUCCESS
  end subroutine

  subroutine extent_same(datatype, extent, extra, ierror)
    use mpi
    integer :: datatype, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extent, extra, lower
    if (extra /= 77) stop 'extent_same: arguments'
    call MPI_Type_get_extent(datatype, lower, extent, ierror)
  end subroutine
end module

program datarep
  use mpi
  use turned
  implicit none
  integer :: rank, ranks, file, ierror, got(3), status(MPI_STATUS_SIZE), n, i, id
  integer(8) :: raw(3)
  integer(kind=MPI_ADDRESS_KIND) :: extra
  integer(kind=MPI_OFFSET_KIND) :: offset
  character(len=40) :: name

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  extra = 77
  call MPI_Register_datarep('turned ', read_turned, write_turned, extent_turned, extra, ierror)
  if (ierror /= MPI_SUCCESS) stop 'MPI_Register_datarep'
  call MPI_Register_datarep('same', MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent_same, extra, ierror)
  if (ierror /= MPI_SUCCESS) stop 'MPI_Register_datarep without conversions'
  extra = 0 ! the value at the call counts

  id = getpid()
  call MPI_Bcast(id, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  write (name, '(a, i0, a)') 'fortran_datarep.', id, '.data'
  call MPI_File_open(MPI_COMM_WORLD, name, ior(ior(MPI_MODE_RDWR, MPI_MODE_CREATE), MPI_MODE_DELETE_ON_CLOSE), &
                     MPI_INFO_NULL, file, ierror)
  offset = 0
  call MPI_File_set_view(file, offset, MPI_INTEGER, MPI_INTEGER, 'turned', MPI_INFO_NULL, ierror)
  if (ierror /= MPI_SUCCESS) stop 'MPI_File_set_view'
  offset = 3 * rank
  call MPI_File_write_at_all(file, offset, [(10 * rank + i, i = 1, 3)], 3, MPI_INTEGER, status, ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_File_read_at(file, offset, got, 3, MPI_INTEGER, status, ierror)
  call MPI_Get_count(status, MPI_INTEGER, n, ierror)
  if (n /= 3 .or. any(got /= [(10 * rank + i, i = 1, 3)]) .or. calls /= 2) stop 'what is read'

  offset = 0
  call MPI_File_set_view(file, offset, MPI_INTEGER8, MPI_INTEGER8, 'same', MPI_INFO_NULL, ierror)
  offset = 3 * rank
  call MPI_File_read_at_all(file, offset, raw, 3, MPI_INTEGER8, status, ierror)
  if (any(raw /= [(-int(10 * rank + i, 8), i = 1, 3)])) stop 'what the file has'
  call MPI_File_close(file, ierror)
  if (rank == 0) print *, 'all datarep right'
  call MPI_Finalize(ierror)
end program
