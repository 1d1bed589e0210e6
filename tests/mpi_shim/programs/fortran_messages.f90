! Messages between ranks through module mpi. Ends the job if anything is not as MPI says.
program messages
  use mpi
  implicit none
  integer :: ierr, me, n, step, next, previous
  integer, save :: kept = 0  ! private to each rank, and moves with it

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  next = modulo(me + 1, n)
  previous = modulo(me - 1, n)
  do step = 1, 4
    call ring(step)
    call any_order(step)
    call persistent(step)
    call section(step)
    kept = kept + me
    call MPI_Migrate(ierr)
  end do
  call expect('saved variable', kept, 4 * me)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (me == 0) print *, 'all messages right'
  call MPI_Finalize(ierr)

contains

  subroutine expect(what, found, wanted)
    character(len=*), intent(in) :: what
    integer, intent(in) :: found, wanted
    if (found /= wanted) then
      print *, 'rank', me, what, ': found', found, ', expected', wanted
      call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
    end if
  end subroutine

  ! Status, count and probe of one message to the next rank.
  subroutine ring(step)
    integer, intent(in) :: step
    integer :: request, status(MPI_STATUS_SIZE), count, got(8)
    logical :: flag
    call MPI_Irecv(got, 8, MPI_INTEGER, MPI_ANY_SOURCE, step, MPI_COMM_WORLD, request, ierr)
    call MPI_Send([me, step, 7], 3, MPI_INTEGER, next, step, MPI_COMM_WORLD, ierr)
    flag = .false.
    do while (.not. flag)
      call MPI_Test(request, flag, status, ierr)
    end do
    call expect('request', request, MPI_REQUEST_NULL)
    call expect('source', status(MPI_SOURCE), previous)
    call expect('tag', status(MPI_TAG), step)
    call MPI_Get_count(status, MPI_INTEGER, count, ierr)
    call expect('count', count, 3)
    call expect('value', got(1), previous)
    call MPI_Sendrecv(me, 1, MPI_INTEGER, next, 9, got, 1, MPI_INTEGER, previous, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call expect('exchanged', got(1), previous)
  end subroutine

  ! Three messages to oneself, taken one at a time in whatever order, then some at once.
  subroutine any_order(step)
    integer, intent(in) :: step
    integer :: requests(3), statuses(MPI_STATUS_SIZE, 3), status(MPI_STATUS_SIZE), got(3), i, index, count, indices(3), seen
    do i = 1, 3
      call MPI_Irecv(got(i), 1, MPI_INTEGER, me, 10 * step + i, MPI_COMM_WORLD, requests(i), ierr)
    end do
    call MPI_Send(222, 1, MPI_INTEGER, me, 10 * step + 2, MPI_COMM_WORLD, ierr)
    call MPI_Waitany(3, requests, index, status, ierr)
    call expect('first complete', index, 2)
    call expect('its tag', status(MPI_TAG), 10 * step + 2)
    call MPI_Send(111, 1, MPI_INTEGER, me, 10 * step + 1, MPI_COMM_WORLD, ierr)
    call MPI_Send(333, 1, MPI_INTEGER, me, 10 * step + 3, MPI_COMM_WORLD, ierr)
    seen = 0
    do while (seen < 2)
      call MPI_Waitsome(3, requests, count, indices, statuses, ierr)
      do i = 1, count
        call expect('value by index', got(indices(i)), 111 * indices(i))
        call expect('tag by index', statuses(MPI_TAG, i), 10 * step + indices(i))
      end do
      seen = seen + count
    end do
    call MPI_Waitany(3, requests, index, status, ierr)
    call expect('none left', index, MPI_UNDEFINED)
    call MPI_Waitsome(3, requests, count, indices, MPI_STATUSES_IGNORE, ierr)
    call expect('none left of some', count, MPI_UNDEFINED)
  end subroutine

  subroutine persistent(step)
    integer, intent(in) :: step
    integer :: requests(2), statuses(MPI_STATUS_SIZE, 2), sent, got, i
    call MPI_Send_init(sent, 1, MPI_INTEGER, next, 77, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Recv_init(got, 1, MPI_INTEGER, previous, 77, MPI_COMM_WORLD, requests(2), ierr)
    do i = 1, 3
      sent = 100 * step + i
      call MPI_Startall(2, requests, ierr)
      call MPI_Waitall(2, requests, statuses, ierr)
      call expect('persistent', got, 100 * step + i)
      call expect('persistent source', statuses(MPI_SOURCE, 2), previous)
    end do
    call MPI_Request_free(requests(1), ierr)
    call MPI_Request_free(requests(2), ierr)
    call expect('freed', requests(1), MPI_REQUEST_NULL)
  end subroutine

  ! A column of a matrix as a derived type, and addresses relative to MPI_BOTTOM.
  subroutine section(step)
    integer, intent(in) :: step
    real(8) :: matrix(4, 5), row(5)
    integer :: row_type, placed, request, ring
    integer(kind=MPI_ADDRESS_KIND) :: address, sent
    matrix = step
    matrix(3, :) = me + [1, 2, 3, 4, 5]
    call MPI_Type_vector(5, 1, 4, MPI_DOUBLE_PRECISION, row_type, ierr)
    call MPI_Type_commit(row_type, ierr)
    call MPI_Get_address(row, address, ierr)
    call MPI_Type_create_struct(1, [5], [address], [MPI_DOUBLE_PRECISION], placed, ierr)
    call MPI_Type_commit(placed, ierr)
    call MPI_Irecv(MPI_BOTTOM, 1, placed, previous, 5, MPI_COMM_WORLD, request, ierr)
    call MPI_Send(matrix(3, 1), 1, row_type, next, 5, MPI_COMM_WORLD, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call expect('row', nint(sum(row)), 15 + 5 * previous)
    ! The same by displacements: the row of the left neighbour comes back from the right one.
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [n], [.true.], .false., ring, ierr)
    call MPI_Get_address(matrix(1, 1), sent, ierr)
    call MPI_Neighbor_alltoallw(MPI_BOTTOM, [0, 5], [sent, address], [MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION], &
                                MPI_BOTTOM, [5, 0], [sent, address], [MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION], &
                                ring, ierr)
    call expect('row by displacement', nint(sum(matrix(:, 1)) + matrix(1, 2)), 15 + 5 * modulo(me - 2, n))
    call MPI_Comm_free(ring, ierr)
    call MPI_Type_free(row_type, ierr)
    call MPI_Type_free(placed, ierr)
  end subroutine
end program
