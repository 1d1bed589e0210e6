! mpif.h in free form.
program free
  implicit none
  include 'mpif.h'
  include 'fortran_bindings.inc'
end program

include 'fortran_callbacks.inc'
