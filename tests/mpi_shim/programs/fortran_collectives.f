! Collectives, operations, communicators and attributes in fixed form with COMMON blocks, as older codes use them.
      program coll
      implicit none
      include 'mpif.h'
      integer ierr, me, n, step
      common /world/ me, n
      call mpi_init(ierr)
      call mpi_comm_rank(MPI_COMM_WORLD, me, ierr)
      call mpi_comm_size(MPI_COMM_WORLD, n, ierr)
      do step = 1, 3
        call reduces(step)
        call gathers(step)
        call pending(step)
        call groups(step)
        call mpi_migrate(ierr)
      end do
      call attributes
      call mpi_barrier(MPI_COMM_WORLD, ierr)
      if (me .eq. 0) print *, 'all collectives right'
      call mpi_finalize(ierr)
      end

      subroutine expect(what, found, wanted)
      implicit none
      include 'mpif.h'
      character*(*) what
      integer found, wanted, me, n, ierr
      common /world/ me, n
      if (found .ne. wanted) then
        print *, 'rank', me, what, ': found', found,
     &           ', expected', wanted
        call mpi_abort(MPI_COMM_WORLD, 3, ierr)
      end if
      end

C     Non-blocking and persistent ones; the program is in a step with the persistent one alive.
      subroutine pending(step)
      implicit none
      include 'mpif.h'
      integer step, me, n, ierr, i
      integer total, given, persistent, shown, seen
      integer requests(2), statuses(MPI_STATUS_SIZE, 2)
      common /world/ me, n
      common /kept/ persistent, shown, seen
      volatile total, given
      total = me + step
      given = -1
      if (me .eq. n - 1) given = 7 * step
      call mpi_iallreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM,
     &                    MPI_COMM_WORLD, requests(1), ierr)
      call mpi_ibcast(given, 1, MPI_INTEGER, n - 1, MPI_COMM_WORLD,
     &                requests(2), ierr)
      call mpi_waitall(2, requests, statuses, ierr)
      call expect('pending sum', total, n * (n - 1) / 2 + n * step)
      call expect('pending broadcast', given, 7 * step)
      call expect('request', requests(1), MPI_REQUEST_NULL)
      if (step .eq. 1) then
        call mpi_allreduce_init(shown, seen, 1, MPI_INTEGER, MPI_MAX,
     &                          MPI_COMM_WORLD, MPI_INFO_NULL,
     &                          persistent, ierr)
      end if
      do i = 1, 3
        shown = 100 * step + i + me
        call mpi_start(persistent, ierr)
        call mpi_wait(persistent, MPI_STATUS_IGNORE, ierr)
        call expect('persistent', seen, 100 * step + i + n - 1)
      end do
      if (step .eq. 3) call mpi_request_free(persistent, ierr)
      end

      subroutine reduces(step)
      implicit none
      include 'mpif.h'
      integer step, me, n, ierr, total, own, op, i
      integer first(2), product(2)
      double precision pair(2), least(2)
      external compose
      common /world/ me, n
      total = me + step
      call mpi_allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, ierr)
      call expect('sum in place', total, n * (n - 1) / 2 + n * step)
      pair(1) = dble(modulo(me + step, n))
      pair(2) = me
      call mpi_allreduce(pair, least, 1, MPI_2DOUBLE_PRECISION,
     &                   MPI_MINLOC, MPI_COMM_WORLD, ierr)
      call expect('place of least', nint(least(2)),
     &            modulo(-step, n))
C     Maps x -> a x + b composed over all ranks in order: associative, not commutative.
      call mpi_op_create(compose, .false., op, ierr)
      first(1) = 2
      first(2) = me
      call mpi_reduce(first, product, 2, MPI_INTEGER, op, 0,
     &                MPI_COMM_WORLD, ierr)
      own = 0
      do i = 0, n - 1
        own = 2 * own + i
      end do
      if (me .eq. 0) call expect('user operation', product(2), own)
      call mpi_op_free(op, ierr)
      call expect('freed operation', op, MPI_OP_NULL)
      total = me + 1
      call mpi_scan(total, own, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD,
     &              ierr)
      call expect('scan', own, (me + 1) * (me + 2) / 2)
      own = step
      if (me .eq. n - 1) own = 100 + step
      call mpi_bcast(own, 1, MPI_INTEGER, n - 1, MPI_COMM_WORLD, ierr)
      call expect('broadcast', own, 100 + step)
      end

C     inout = in o inout on pairs (a, b).
      subroutine compose(in, inout, length, type)
      implicit none
      include 'mpif.h'
      integer length, type, in(length), inout(length), a, b, i
      call expect('operand type', type, MPI_INTEGER)
      do i = 1, length, 2
        a = in(i) * inout(i)
        b = inout(i) * in(i + 1) + inout(i + 1)
        inout(i) = a
        inout(i + 1) = b
      end do
      end

      subroutine gathers(step)
      implicit none
      include 'mpif.h'
      integer step, me, n, ierr, i, total
      integer counts(64), displs(64), sent(64), got(2080), all(64)
      common /world/ me, n
      total = 0
      do i = 1, n
        counts(i) = i
        displs(i) = total
        total = total + i
      end do
      do i = 1, me + 1
        sent(i) = 1000 * me + i
      end do
      call mpi_allgatherv(sent, me + 1, MPI_INTEGER, got, counts,
     &     displs, MPI_INTEGER, MPI_COMM_WORLD, ierr)
      do i = 1, n
        call expect('gathered', got(displs(i) + i), 1000 * (i - 1) + i)
      end do
      all(me + 1) = me * step
      call mpi_allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1,
     &     MPI_INTEGER, MPI_COMM_WORLD, ierr)
      do i = 1, n
        call expect('in place', all(i), (i - 1) * step)
        sent(i) = 100 * me + i
      end do
      call mpi_alltoall(sent, 1, MPI_INTEGER, got, 1, MPI_INTEGER,
     &     MPI_COMM_WORLD, ierr)
      do i = 1, n
        call expect('exchanged', got(i), 100 * (i - 1) + me + 1)
      end do
      end

      subroutine groups(step)
      implicit none
      include 'mpif.h'
      integer step, me, n, ierr, half, rank, size, cart, up, down
      integer dims(1), coords(1), copy
      logical periods(1), wrapped(1)
      common /world/ me, n
      call mpi_comm_split(MPI_COMM_WORLD, mod(me, 2), -me, half, ierr)
      call mpi_comm_rank(half, rank, ierr)
      call mpi_comm_size(half, size, ierr)
      call expect('reversed rank', rank, size - 1 - me / 2)
      call mpi_comm_free(half, ierr)
      call expect('freed', half, MPI_COMM_NULL)
      dims(1) = n
      periods(1) = mod(step, 2) .eq. 1
      call mpi_cart_create(MPI_COMM_WORLD, 1, dims, periods, .false.,
     &     cart, ierr)
      call mpi_cart_shift(cart, 0, 1, down, up, ierr)
      if (me .eq. 0 .and. .not. periods(1)) then
        call expect('edge', down, MPI_PROC_NULL)
      else
        call expect('neighbour', down, modulo(me - 1, n))
      end if
      call mpi_cart_get(cart, 1, dims, wrapped, coords, ierr)
      if (wrapped(1) .neqv. periods(1)) call expect('periods', 0, 1)
      call expect('coordinate', coords(1), me)
      call mpi_comm_free(cart, ierr)
      call mpi_comm_dup(MPI_COMM_WORLD, copy, ierr)
      call mpi_barrier(copy, ierr)
      call mpi_comm_free(copy, ierr)
      end

C     The names that MPI-3.0 removed.
      subroutine attributes
      implicit none
      include 'mpif.h'
      integer me, n, ierr, top, keyval, value, copy, extent, newtype
      integer lengths(2), places(2), types(2), length, class
      logical flag
      character*(MPI_MAX_ERROR_STRING) text
      common /world/ me, n
      call mpi_attr_get(MPI_COMM_WORLD, MPI_TAG_UB, top, flag, ierr)
      if (.not. flag .or. top .lt. 32767) call expect('tag', top, 32767)
      call mpi_keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, keyval, 5,
     &     ierr)
      call mpi_attr_put(MPI_COMM_WORLD, keyval, -12, ierr)
      call mpi_comm_dup(MPI_COMM_WORLD, copy, ierr)
      call mpi_attr_get(copy, keyval, value, flag, ierr)
      if (.not. flag) call expect('copied', 0, 1)
      call expect('attribute', value, -12)
      call mpi_attr_delete(MPI_COMM_WORLD, keyval, ierr)
      call mpi_attr_get(MPI_COMM_WORLD, keyval, value, flag, ierr)
      if (flag) call expect('deleted', 1, 0)
      call mpi_comm_free(copy, ierr)
      call mpi_keyval_free(keyval, ierr)
      call mpi_type_extent(MPI_DOUBLE_PRECISION, extent, ierr)
      call expect('extent', extent, 8)
      lengths(1) = 1
      lengths(2) = 2
      places(1) = 0
      places(2) = 8
      types(1) = MPI_INTEGER
      types(2) = MPI_DOUBLE_PRECISION
      call mpi_type_struct(2, lengths, places, types, newtype, ierr)
      call mpi_type_extent(newtype, extent, ierr)
      call expect('struct', extent, 24)
      call mpi_type_free(newtype, ierr)
      call mpi_errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
      call mpi_send(me, 1, MPI_INTEGER, n + 5, 0, MPI_COMM_WORLD, ierr)
      call mpi_error_class(ierr, class, ierr)
      call expect('class', class, MPI_ERR_RANK)
      call mpi_error_string(MPI_ERR_RANK, text, length, ierr)
      if (length .lt. 1 .or. text(length:length) .eq. ' ') then
        call expect('string', length, 1)
      end if
      end
