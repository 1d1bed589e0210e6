! MPI_BOTTOM and addresses in module mpi_f08: as a type's offsets, and as displacements.
program bottom
  use mpi_f08
  implicit none
  integer, parameter :: values = 3
  integer :: me, n, i
  integer, asynchronous :: out(values), in(values, 2)
  integer(kind=MPI_ADDRESS_KIND) :: from, into(2)
  type(MPI_Comm) :: ring

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, n)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [n], [.true.], .false., ring)
  out = [(10 * me + i, i = 1, values)]
  call MPI_Get_address(out, from)
  call MPI_Get_address(in(1, 1), into(1))
  call MPI_Get_address(in(1, 2), into(2))
  call by_displacements()
  call by_types()
  call MPI_Comm_free(ring)
  if (me == 0) print *, 'all values arrived'
  call MPI_Finalize()

contains

  ! From the left neighbour and from the right one.
  subroutine expect(what)
    character(len=*), intent(in) :: what
    integer :: k
    logical :: holds
    holds = all(in(:, 1) == [(10 * modulo(me - 1, n) + k, k = 1, values)]) .and. &
            all(in(:, 2) == [(10 * modulo(me + 1, n) + k, k = 1, values)])
    if (.not. holds) then
      print *, 'WRONG: ', what, ' at rank', me, ':', in
      call MPI_Abort(MPI_COMM_WORLD, 3)
    end if
    in = -1
  end subroutine

  subroutine by_displacements()
    type(MPI_Datatype) :: types(2)
    type(MPI_Request) :: request
    integer(kind=MPI_ADDRESS_KIND) :: both(2), scaled(2)
    integer(kind=MPI_COUNT_KIND) :: counts(2), count
    integer :: few(2)
    types = MPI_INTEGER
    few = values
    counts = values
    count = values
    both = from
    call MPI_Neighbor_alltoallw(MPI_BOTTOM, few, both, types, MPI_BOTTOM, few, into, types, ring)
    call expect('MPI_Neighbor_alltoallw')
    call MPI_Ineighbor_alltoallw(MPI_BOTTOM, few, both, types, MPI_BOTTOM, few, into, types, ring, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect('MPI_Ineighbor_alltoallw')
    call MPI_Neighbor_alltoallw_init(MPI_BOTTOM, few, both, types, MPI_BOTTOM, few, into, types, ring, MPI_INFO_NULL, &
                                     request)
    call MPI_Start(request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Request_free(request)
    call expect('MPI_Neighbor_alltoallw_init')
    scaled = into / 4
    call MPI_Neighbor_allgatherv(out, count, MPI_INTEGER, MPI_BOTTOM, counts, scaled, MPI_INTEGER, ring)
    call expect('MPI_Neighbor_allgatherv with large counts')
  end subroutine

  subroutine by_types()
    type(MPI_Datatype) :: here, there
    integer(kind=MPI_ADDRESS_KIND) :: one(1)
    one = from
    call MPI_Type_create_hindexed_block(1, values, one, MPI_INTEGER, here)
    one = into(1)
    call MPI_Type_create_hindexed_block(1, values, one, MPI_INTEGER, there)
    call MPI_Type_commit(here)
    call MPI_Type_commit(there)
    call MPI_Neighbor_allgather(MPI_BOTTOM, 1, here, MPI_BOTTOM, 1, there, ring)
    call expect('MPI_Neighbor_allgather')
    call MPI_Sendrecv(MPI_BOTTOM, 1, here, modulo(me + 1, n), 0, MPI_BOTTOM, 1, there, modulo(me - 1, n), 0, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    in(:, 2) = [(10 * modulo(me + 1, n) + i, i = 1, values)]
    call expect('MPI_Sendrecv')
    call MPI_Type_free(here)
    call MPI_Type_free(there)
  end subroutine
end program
