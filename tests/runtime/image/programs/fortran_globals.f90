! A Fortran program: modules, COMMON, SAVE, allocatables, pointers and units all belong to the rank.
module state
  implicit none
  integer :: module_value = 3
  real(8), allocatable :: field(:)
  real(8), save :: saved(10) = 1d0
  type item
    integer :: number
    real(8), pointer :: values(:) => null()
  end type
  type(item) :: object
contains
  integer function calls()
    integer, save :: n = 0
    n = n + 1
    calls = n
  end function
  ! The compiler builds a trampoline on the stack for a procedure that uses its host's variables.
  integer function apply(f, x)
    interface
      integer function f(x)
        integer, intent(in) :: x
      end function
    end interface
    integer, intent(in) :: x
    apply = f(x)
  end function
end module

program main
  use state
  use iso_c_binding
  implicit none
  interface
    integer(c_int) function host_rank() bind(c)
      import
    end function
    subroutine host_yield() bind(c)
    end subroutine
  end interface
  integer :: rank, k, failures, ios, x, y
  character(len=80) :: name, line, argument
  integer :: common_integer, initialised
  real(8) :: common_real(100)
  common /numbers/ common_integer, common_real
  common /one/ initialised
  data initialised /99/

  failures = 0
  rank = host_rank()
  if (module_value /= 3 .or. initialised /= 99 .or. allocated(field)) failures = failures + 1
  module_value = rank; common_integer = rank; common_real = rank * 2d0; saved = rank
  allocate (field(100 + rank)); field = rank
  object%number = rank
  allocate (object%values(5)); object%values = rank
  call get_command_argument(1, argument)
  if (command_argument_count() /= 2 .or. argument /= '-n') failures = failures + 1
  do k = 1, 4
    call host_yield()
    if (calls() /= k) failures = failures + 1
    if (module_value /= rank .or. common_integer /= rank .or. any(common_real /= rank * 2d0)) failures = failures + 1
    if (any(saved /= rank) .or. size(field) /= 100 + rank .or. object%values(5) /= rank) failures = failures + 1
  end do
  ! Unit 10 is a different file in every rank.
  write (name, '(a,i0,a,i0)') 'image_test_fortran.', getpid(), '.', rank
  open (unit=10, file=name, status='replace')
  write (10, *) rank
  call host_yield()
  write (10, *) rank * 3
  rewind (10)
  read (10, *) x
  call host_yield()
  read (10, *) y
  if (x /= rank .or. y /= 3 * rank) failures = failures + 1
  close (10, status='delete')
  write (line, '(i8,f12.3)') rank, 1.5d0 * rank
  read (line, *) x
  if (x /= rank) failures = failures + 1
  open (unit=11, file='/nonexistent/x', status='old', iostat=ios)
  if (ios == 0) failures = failures + 1
  if (apply(add_rank, 5) /= rank + 5) failures = failures + 1
  if (failures /= 0) stop 7
contains
  integer function add_rank(v)
    integer, intent(in) :: v
    add_rank = v + rank
  end function
end program
