! Module mpi_f08: typed handles, no IERROR, array sections, large counts, callbacks. Ends the job if anything is not as
! MPI says.
module parts
  use mpi_f08
  implicit none
  integer, save :: freed = 0

contains

  subroutine expect(what, found, wanted)
    character(len=*), intent(in) :: what
    integer, intent(in) :: found, wanted
    if (found /= wanted) then
      print *, what, ': found', found, ', expected', wanted
      call MPI_Abort(MPI_COMM_WORLD, 3)
    end if
  end subroutine

  subroutine affirm(what, holds)
    character(len=*), intent(in) :: what
    logical, intent(in) :: holds
    call expect(what, merge(1, 0, holds), 1)
  end subroutine

  ! Adds complex numbers given as pairs: a function that is not MPI's own.
  subroutine add_pairs(invec, inoutvec, len, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:), inout(:)
    call affirm('type of the operation', datatype == MPI_2INTEGER)
    call c_f_pointer(invec, in, [2 * len])
    call c_f_pointer(inoutvec, inout, [2 * len])
    inout = inout + in
  end subroutine

  subroutine note_freed(comm, keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    freed = int(attribute_val + extra_state)
    ierror = MPI_SUCCESS
  end subroutine
end module

program f08
  use parts
  implicit none
  integer :: me, n, step, next, previous

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, n)
  next = modulo(me + 1, n)
  previous = modulo(me - 1, n)
  call affirm('sections supported', MPI_SUBARRAYS_SUPPORTED)
  do step = 1, 3
    call handles()
    call messages()
    call sections()
    call pending_sections()
    call persistent()
    call collectives()
    call large_counts()
    call attributes()
    call errors()
    call MPI_Migrate()
  end do
  call MPI_Barrier(MPI_COMM_WORLD)
  if (me == 0) print *, 'all of f08 right'
  call MPI_Finalize()

contains

  subroutine handles()
    use mpi, only: mpi_world => MPI_COMM_WORLD
    type(MPI_Comm) :: copy, none
    integer :: how, length
    character(len=MPI_MAX_OBJECT_NAME) :: name
    none = MPI_COMM_NULL
    call MPI_Comm_dup(MPI_COMM_WORLD, copy)
    call affirm('a copy is another', copy /= MPI_COMM_WORLD .and. copy /= none .and. none == MPI_COMM_NULL)
    call expect('same number as in module mpi', MPI_COMM_WORLD%MPI_VAL, mpi_world)
    call MPI_Comm_compare(copy, MPI_COMM_WORLD, how)
    call expect('compared', how, MPI_CONGRUENT)
    call MPI_Comm_set_name(copy, 'copy')
    call MPI_Comm_get_name(copy, name, length)
    call affirm('name', name == 'copy' .and. length == 4)
    call MPI_Comm_free(copy)
    call affirm('freed', copy == MPI_COMM_NULL)
  end subroutine

  subroutine messages()
    type(MPI_Status) :: status, statuses(2), back
    type(MPI_Request) :: requests(2)
    integer :: got(4), count, older(MPI_STATUS_SIZE), ierror
    logical :: flag
    call MPI_Isend([me, step, 7], 3, MPI_INTEGER, next, step, MPI_COMM_WORLD, requests(1))
    call MPI_Recv(got, 4, MPI_INTEGER, MPI_ANY_SOURCE, step, MPI_COMM_WORLD, status, ierror)
    call expect('no error', ierror, MPI_SUCCESS)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call affirm('request', requests(1) == MPI_REQUEST_NULL)
    call expect('source', status%MPI_SOURCE, previous)
    call expect('tag', status%MPI_TAG, step)
    call MPI_Get_count(status, MPI_INTEGER, count)
    call expect('count', count, 3)
    call MPI_Status_f082f(status, older)
    call expect('source in the older form', older(MPI_SOURCE), previous)
    call MPI_Status_f2f08(older, back)
    call expect('tag, back again', back%MPI_TAG, step)
    call MPI_Irecv(got, 1, MPI_INTEGER, previous, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(me, 1, MPI_INTEGER, next, 1, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, statuses)
    call expect('of all statuses', statuses(1)%MPI_SOURCE, previous)
    call MPI_F_sync_reg(got)
    call expect('value', got(1), previous)
    call MPI_Testall(2, requests, flag, MPI_STATUSES_IGNORE)
    call affirm('nothing left', flag)
  end subroutine

  ! A plane of a cube to the next rank, into every other column of a matrix.
  subroutine sections()
    integer :: cube(3, 4, 5), matrix(3, 10), i
    cube = 0
    cube(2, :, 1:5:2) = reshape([(100 * me + i, i = 1, 12)], [4, 3])
    matrix = -1
    call MPI_Sendrecv(cube(2, :, 1:5:2), 12, MPI_INTEGER, next, 2, matrix(:, 1:7:2), 12, MPI_INTEGER, previous, 2, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call expect('first', matrix(1, 1), 100 * previous + 1)
    call expect('last', matrix(3, 7), 100 * previous + 12)
    call expect('between', count(matrix == -1), 18)
    call affirm('in order', all(reshape(matrix(:, 1:7:2), [12]) == [(100 * previous + i, i = 1, 12)]))
    call MPI_Sendrecv(cube(2, 4:1:-1, 1), 4, MPI_INTEGER, me, 3, matrix(1, 1:4), 4, MPI_INTEGER, me, 3, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    call affirm('backwards', all(matrix(1, 4:1:-1) == [(100 * me + i, i = 1, 4)]))
  end subroutine

  ! The same by calls that go on after they return: nothing is copied, and a part of a section is enough.
  subroutine pending_sections()
    integer, asynchronous :: cube(3, 4, 5), matrix(3, 10)
    complex, asynchronous :: waves(6), got(6)
    integer :: i
    type(MPI_Request) :: requests(2)
    cube(2, :, 1:5:2) = reshape([(100 * me + i, i = 1, 12)], [4, 3])
    matrix = -1
    call MPI_Irecv(matrix(:, 1:7:2), 12, MPI_INTEGER, previous, 2, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(cube(2, :, 1:5:2), 7, MPI_INTEGER, next, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Migrate()
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call MPI_F_sync_reg(matrix)
    call expect('elements of part of a section', count(matrix /= -1), 7)
    call affirm('their order', all([matrix(:, 1), matrix(:, 3), matrix(1, 5)] == [(100 * previous + i, i = 1, 7)]))
    waves = [(cmplx(me, i), i = 1, 6)]
    got = 0
    call MPI_Irecv(got(6:2:-2), 6, MPI_REAL, previous, 4, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(waves(1:6:2), 6, MPI_REAL, next, 4, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call affirm('two numbers an element', all(got(6:2:-2) == [cmplx(previous, 1), cmplx(previous, 3), cmplx(previous, 5)]))
    call affirm('gaps', all(got(1:5:2) == 0))
    ! Sections without elements have no gaps, for any call: a layer of cells that some ranks do not have.
    i = 0 * step
    matrix = 7
    call MPI_Irecv(matrix(1:i, :), 0, MPI_INTEGER, previous, 6, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(cube(3:2 + i, :, 1:5:2), 0, MPI_INTEGER, next, 6, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call MPI_Sendrecv(cube(1:i, :, :), 0, MPI_INTEGER, next, 7, matrix(:, 1:i), 0, MPI_INTEGER, previous, 7, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Iallreduce(cube(1:i, :, 1), matrix(1:i, :), 0, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(1))
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    ! No element of a section with gaps.
    call MPI_Irecv(matrix(1:3:2, :), 0, MPI_INTEGER, previous, 8, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(cube(1:3:2, :, 1), 0, MPI_INTEGER, next, 8, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call MPI_F_sync_reg(matrix)
    call affirm('nothing came', all(matrix == 7))
  end subroutine

  ! A persistent receive into a column of structures' components.
  subroutine persistent()
    type :: cell
      sequence
      real(8) :: pressure
      integer :: kind, owner
    end type
    type(cell), asynchronous :: cells(5)
    type(MPI_Request) :: request
    integer :: i, round
    cells = cell(0, -1, me)
    call MPI_Recv_init(cells%kind, 5, MPI_INTEGER, previous, 5, MPI_COMM_WORLD, request)
    do round = 1, 2
      call MPI_Start(request)
      call MPI_Send([(round * i + previous_of(next), i = 1, 5)], 5, MPI_INTEGER, next, 5, MPI_COMM_WORLD)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call MPI_F_sync_reg(cells)
      call affirm('components', all(cells%kind == [(round * i + previous, i = 1, 5)]) .and. all(cells%owner == me))
    end do
    call MPI_Request_free(request)
  end subroutine

  integer function previous_of(rank)
    integer, intent(in) :: rank
    previous_of = modulo(rank - 1, n)
  end function

  subroutine collectives()
    integer :: wide(2, 3), pairs(2, 2), summed(2, 2), i
    integer, allocatable :: all_of(:, :)
    type(MPI_Op) :: op
    wide = 0
    wide(1, :) = [me, 2 * me, 1]
    call MPI_Allreduce(MPI_IN_PLACE, wide(1, :), 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call affirm('reduced a row', all(wide(1, :) == [n * (n - 1) / 2, n * (n - 1), n]) .and. all(wide(2, :) == 0))
    call MPI_Bcast(wide(2, 1:3:2), 2, MPI_INTEGER, n - 1, MPI_COMM_WORLD)
    allocate(all_of(2, n))
    all_of = -1
    call MPI_Allgather(me, 1, MPI_INTEGER, all_of(2, :), 1, MPI_INTEGER, MPI_COMM_WORLD)
    call affirm('gathered', all(all_of(2, :) == [(i, i = 0, n - 1)]) .and. all(all_of(1, :) == -1))
    pairs = reshape([1, me, 2, 3], [2, 2])
    call MPI_Op_create(add_pairs, .true., op)
    call MPI_Allreduce(pairs, summed, 2, MPI_2INTEGER, op, MPI_COMM_WORLD)
    call affirm('own operation', all(summed == reshape([n, n * (n - 1) / 2, 2 * n, 3 * n], [2, 2])))
    call MPI_Op_free(op)
  end subroutine

  ! Counts of the other kind are other procedures under the same names.
  subroutine large_counts()
    integer(kind=MPI_ADDRESS_KIND) :: packed
    integer(kind=MPI_COUNT_KIND) :: large
    integer(kind=MPI_COUNT_KIND) :: bytes, elements
    type(MPI_Datatype) :: type
    type(MPI_Status) :: status
    integer :: got(2)
    call MPI_Type_contiguous(5000000000_MPI_COUNT_KIND, MPI_INTEGER, type)
    call MPI_Type_size(type, bytes)
    call affirm('20 GB', bytes == 20000000000_MPI_COUNT_KIND)
    call MPI_Type_free(type)
    call MPI_Sendrecv([me, 1], 2_MPI_COUNT_KIND, MPI_INTEGER, next, 6, got, 2_MPI_COUNT_KIND, MPI_INTEGER, previous, 6, &
                      MPI_COMM_WORLD, status)
    call MPI_Get_count(status, MPI_INTEGER, elements)
    call affirm('large count', elements == 2 .and. got(1) == previous)
    call MPI_Pack_external_size('external32', 3, MPI_INTEGER, packed)
    call affirm('external size', packed == 12)
    call MPI_Pack_external_size('external32', 3_MPI_COUNT_KIND, MPI_INTEGER, large)
    call affirm('large external size', large == 12)
  end subroutine

  subroutine attributes()
    type(MPI_Comm) :: copy
    integer :: keyval
    logical :: flag
    integer(kind=MPI_ADDRESS_KIND) :: value
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag)
    call affirm('tags', flag .and. value >= 32767)
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, note_freed, keyval, 5_MPI_ADDRESS_KIND)
    call MPI_Comm_dup(MPI_COMM_SELF, copy)
    call MPI_Comm_set_attr(copy, keyval, 37_MPI_ADDRESS_KIND)
    call MPI_Comm_get_attr(copy, keyval, value, flag)
    call affirm('attribute', flag .and. value == 37)
    call MPI_Comm_free(copy)
    call expect('seen by the callback', freed, 42)
    call MPI_Comm_free_keyval(keyval)
  end subroutine

  ! What no datatype can describe is refused.
  subroutine errors()
    integer :: ierror, class
    integer, asynchronous :: array(8)
    type(MPI_Request) :: request
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Send(array, 1, MPI_INTEGER, n, 0, MPI_COMM_WORLD, ierror)
    call MPI_Error_class(ierror, class)
    call expect('no such rank', class, MPI_ERR_RANK)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Irecv(array(1:8:2), 5, MPI_INTEGER, me, 0, MPI_COMM_SELF, request, ierror)
    call MPI_Error_class(ierror, class)
    call expect('beyond the section', class, MPI_ERR_UNSUPPORTED_OPERATION)
    ! One count and one datatype for two buffers, of which one has gaps.
    call MPI_Iallreduce(array(1:4), array(1:8:2), 4, MPI_INTEGER, MPI_SUM, MPI_COMM_SELF, request, ierror)
    call MPI_Error_class(ierror, class)
    call expect('gaps in what comes', class, MPI_ERR_UNSUPPORTED_OPERATION)
    call MPI_Iallreduce(array(1:8:2), array(1:4), 4, MPI_INTEGER, MPI_SUM, MPI_COMM_SELF, request, ierror)
    call MPI_Error_class(ierror, class)
    call expect('gaps in what goes', class, MPI_ERR_UNSUPPORTED_OPERATION)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
  end subroutine
end program
