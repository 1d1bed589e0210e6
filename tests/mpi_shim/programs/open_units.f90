! Units of Fortran that stay open while ranks move: formatted, stream, direct and read, compared at the end.
!   open_units <beginning of a folder's name> [moves]
! With "moves" every rank must have come to another process.
program open_units
  use mpi
  implicit none
  integer, parameter :: rounds = 10
  integer :: rank, ierr, round, faults, total, found, i
  integer :: text, bytes, records, numbers, job, before, moves
  character(len=256) :: folder
  character(len=300) :: base
  character(len=40) :: line, expected

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call get_command_argument(1, folder)
  job = getpid()
  call MPI_Bcast(job, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  write(base, '(a,a,i0)') trim(folder), '.', job
  folder = base(1:256)
  if (rank == 0) call execute_command_line('mkdir -p ' // trim(folder))
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  write(base, '(a,a,i0)') trim(folder), '/unit.', rank
  faults = 0
  moves = 0

  open(newunit=numbers, file=trim(base) // '.numbers', status='replace', action='write')
  do i = 1, 3000
    write(numbers, '(i0)') i * 7 + rank
  end do
  close(numbers)
  open(newunit=numbers, file=trim(base) // '.numbers', status='old', action='read')
  open(newunit=text, file=trim(base) // '.text', status='replace', action='readwrite')
  open(newunit=bytes, file=trim(base) // '.bytes', status='replace', access='stream', form='unformatted')
  open(newunit=records, file=trim(base) // '.records', status='replace', access='direct', recl=8, form='unformatted')

  do round = 1, rounds
    write(text, '(a,i4,i4)') 'a line of ', rank, round
    write(bytes) rank * 1000 + round
    write(records, rec=rounds + 1 - round) rank * 1000 + round, round
    do i = 1, 300
      read(numbers, *) found
      if (found /= ((round - 1) * 300 + i) * 7 + rank) faults = faults + 1
    end do
    before = getpid()
    call MPI_Migrate(ierr)
    if (getpid() /= before) moves = moves + 1
  end do

  if (command_argument_count() > 1 .and. moves == 0) faults = faults + 1
  rewind(text)
  do round = 1, rounds
    read(text, '(a)') line
    write(expected, '(a,i4,i4)') 'a line of ', rank, round
    if (line /= expected) faults = faults + 1
    read(bytes, pos=4 * round - 3) found
    if (found /= rank * 1000 + round) faults = faults + 1
    read(records, rec=rounds + 1 - round) found
    if (found /= rank * 1000 + round) faults = faults + 1
  end do
  close(numbers, status='delete')
  close(text, status='delete')
  close(bytes, status='delete')
  close(records, status='delete')
  call MPI_Allreduce(faults, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) then
    call execute_command_line('rmdir ' // trim(folder))
    write(*, '(i0,a)') total, ' faults'
  end if
  call MPI_Finalize(ierr)
end program
