! Module pupmod: AMPI's names for pup functions, which list the parts of an object to count, pack and unpack them.
module pupmod
  implicit none

  interface
    logical function fpup_issizing(p)
      integer :: p
    end function
    logical function fpup_ispacking(p)
      integer :: p
    end function
    logical function fpup_isunpacking(p)
      integer :: p
    end function
    logical function fpup_isdeleting(p)
      integer :: p
    end function
    logical function fpup_isuserlevel(p)
      integer :: p
    end function

    subroutine fpup_char(p, d)
      integer :: p
      character :: d
    end subroutine
    subroutine fpup_short(p, d)
      integer :: p
      integer(kind=2) :: d
    end subroutine
    subroutine fpup_int(p, d)
      integer :: p
      integer(kind=4) :: d
    end subroutine
    subroutine fpup_long(p, d)
      integer :: p
      integer(kind=8) :: d
    end subroutine
    subroutine fpup_real(p, d)
      integer :: p
      real(kind=4) :: d
    end subroutine
    subroutine fpup_double(p, d)
      integer :: p
      real(kind=8) :: d
    end subroutine
    subroutine fpup_logical(p, d)
      integer :: p
      logical :: d
    end subroutine
    subroutine fpup_complex(p, d)
      integer :: p
      complex(kind=4) :: d
    end subroutine
    subroutine fpup_doublecomplex(p, d)
      integer :: p
      complex(kind=8) :: d
    end subroutine

    ! c elements of an array of any rank
    subroutine fpup_chars(p, d, c)
      integer :: p, c
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: d
      type(*), dimension(*) :: d
    end subroutine
    subroutine fpup_shorts(p, d, c)
      integer :: p, c
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: d
      type(*), dimension(*) :: d
    end subroutine
    subroutine fpup_ints(p, d, c)
      integer :: p, c
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: d
      type(*), dimension(*) :: d
    end subroutine
    subroutine fpup_longs(p, d, c)
      integer :: p, c
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: d
      type(*), dimension(*) :: d
    end subroutine
    subroutine fpup_reals(p, d, c)
      integer :: p, c
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: d
      type(*), dimension(*) :: d
    end subroutine
    subroutine fpup_doubles(p, d, c)
      integer :: p, c
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: d
      type(*), dimension(*) :: d
    end subroutine
    subroutine fpup_logicals(p, d, c)
      integer :: p, c
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: d
      type(*), dimension(*) :: d
    end subroutine
    subroutine fpup_complexes(p, d, c)
      integer :: p, c
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: d
      type(*), dimension(*) :: d
    end subroutine
    subroutine fpup_doublecomplexes(p, d, c)
      integer :: p, c
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: d
      type(*), dimension(*) :: d
    end subroutine
  end interface

  ! A scalar or a whole array of any type and rank.
  interface pup
    subroutine weft_pup_object(p, d) bind(c)
      integer :: p
      type(*), dimension(..) :: d
    end subroutine
  end interface

contains

  logical function pup_issz(p)
    integer :: p
    pup_issz = fpup_issizing(p)
  end function
  logical function pup_ispk(p)
    integer :: p
    pup_ispk = fpup_ispacking(p)
  end function
  logical function pup_isupk(p)
    integer :: p
    pup_isupk = fpup_isunpacking(p)
  end function
  logical function pup_isdel(p)
    integer :: p
    pup_isdel = fpup_isdeleting(p)
  end function
  logical function pup_isul(p)
    integer :: p
    pup_isul = fpup_isuserlevel(p)
  end function
end module pupmod
