! mpif.h in fixed form.
      program fixed
      implicit none
      include 'mpif.h'
      include 'fortran_bindings.inc'
      end

      include 'fortran_callbacks.inc'
