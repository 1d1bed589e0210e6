! The pup functions for programs without module pupmod, in fixed and in free form.
      logical fpup_issizing, fpup_ispacking, fpup_isunpacking
      logical fpup_isdeleting, fpup_isuserlevel
      external fpup_issizing, fpup_ispacking, fpup_isunpacking
      external fpup_isdeleting, fpup_isuserlevel
      external fpup_char, fpup_chars, fpup_short, fpup_shorts
      external fpup_int, fpup_ints, fpup_long, fpup_longs
      external fpup_real, fpup_reals, fpup_double, fpup_doubles
      external fpup_logical, fpup_logicals
      external fpup_complex, fpup_complexes
      external fpup_doublecomplex, fpup_doublecomplexes
