! Spawning from Fortran: arguments are blank-padded strings, in both modules.
module by_f08
contains
subroutine spawn_f08(command, total)
use mpi_f08
character(len=*), intent(in) :: command
integer, intent(out) :: total
type(MPI_Comm) :: inter
type(MPI_Info) :: infos(2)
character(len=200) :: commands(2)
character(len=12) :: arguments(2, 3)
integer :: codes(3), one, ierror
call MPI_Comm_spawn(command, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, inter, MPI_ERRCODES_IGNORE)
call MPI_Allreduce(0, total, 1, MPI_INTEGER, MPI_SUM, inter)
call MPI_Comm_disconnect(inter)
commands = command
infos = MPI_INFO_NULL
arguments = ' '
arguments(1, 1) = 'a'
arguments(2, 1) = 'b'
arguments(2, 2) = '  c d '
call MPI_Comm_spawn_multiple(2, commands, arguments, [1, 2], infos, 0, MPI_COMM_WORLD, inter, codes, ierror)
if (ierror /= MPI_SUCCESS .or. any(codes /= MPI_SUCCESS)) stop 4
call MPI_Allreduce(0, one, 1, MPI_INTEGER, MPI_SUM, inter)
total = total + 100 * one
call MPI_Comm_disconnect(inter)
end subroutine
end module

program spawns
use mpi
use by_f08
integer :: parent, inter, rank, mine, ierror, unused, total
integer :: codes(2)
character(len=200) :: command
character(len=8) :: arguments(3)
call MPI_Init(ierror)
call MPI_Comm_get_parent(parent, ierror)
call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
if (parent /= MPI_COMM_NULL) then
  mine = command_argument_count()
  call MPI_Allreduce(mine, unused, 1, MPI_INTEGER, MPI_SUM, parent, ierror)
  call MPI_Comm_disconnect(parent, ierror)
else
  call get_command_argument(0, command)
  arguments = ['one     ', 'two     ', '        ']
  call MPI_Comm_spawn(command, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, inter, codes, ierror)
  if (any(codes /= MPI_SUCCESS)) stop 3
  mine = 0
  call MPI_Allreduce(mine, total, 1, MPI_INTEGER, MPI_SUM, inter, ierror)
  call MPI_Comm_disconnect(inter, ierror)
  call spawn_f08(command, mine)
  if (rank == 0 .and. total == 4 .and. mine == 500) print *, 'all spawned right'
end if
call MPI_Finalize(ierror)
end program
