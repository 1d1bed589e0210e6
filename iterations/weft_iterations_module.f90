! weft_iterations.h for Fortran 2008: the same names, arguments and codes. A communicator is the integer of mpif.h or module mpi, or
! comm%mpi_val of mpi_f08. Tallies are given by c_loc() of an array with the target attribute.
module weft_iterations
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_double, c_ptr, c_null_ptr
  implicit none
  private

  integer(c_int), parameter, public :: WEFT_ITERATIONS_OK = 0, WEFT_ITERATIONS_REVOKED = 1, WEFT_ITERATIONS_UNKNOWN = 2, &
    WEFT_ITERATIONS_ERR_ARGUMENT = 3, WEFT_ITERATIONS_ERR_STATE = 4, WEFT_ITERATIONS_ERR_MPI = 5, WEFT_ITERATIONS_ERR_MEMORY = 6

  type, bind(c), public :: weft_iterations_options
    real(c_double) :: report_seconds = 300, max_deviation = 0.1_c_double, min_seconds = -1, lease_seconds = 0
    integer(c_int) :: group_size = 0
    type(c_ptr) :: counts = c_null_ptr
    integer(c_int) :: counts_length = 0
    type(c_ptr) :: sums = c_null_ptr
    integer(c_int) :: sums_length = 0
  end type

  type, bind(c), public :: weft_iterations_stats
    integer(c_int64_t) :: credited, refused, reports, messages_sent, bytes_sent, times_silent
    real(c_double) :: finish_seconds, waited_seconds
  end type

  interface
    integer(c_int) function weft_iterations_begin(comm, total, options, handle) bind(c, name='weft_iterations_begin_f')
      import :: c_int, c_int64_t, c_ptr, weft_iterations_options
      integer, value :: comm
      integer(c_int64_t), value :: total
      type(weft_iterations_options), intent(in) :: options
      type(c_ptr), intent(out) :: handle
    end function
    integer(c_int) function weft_iterations_next(handle, first, count) bind(c, name='weft_iterations_next')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int64_t), intent(out) :: first, count
    end function
    integer(c_int) function weft_iterations_report(handle, done) bind(c, name='weft_iterations_report')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: done
    end function
    integer(c_int) function weft_iterations_predict(handle, seconds_left, finish_spread) bind(c, name='weft_iterations_predict')
      import :: c_int, c_double, c_ptr
      type(c_ptr), value :: handle
      real(c_double), intent(out) :: seconds_left, finish_spread
    end function
    integer(c_int) function weft_iterations_end(handle, stats) bind(c, name='weft_iterations_end')
      import :: c_int, c_ptr, weft_iterations_stats
      type(c_ptr), intent(inout) :: handle
      type(weft_iterations_stats), intent(out) :: stats
    end function
  end interface
  public :: weft_iterations_begin, weft_iterations_next, weft_iterations_report, weft_iterations_predict, weft_iterations_end
end module
