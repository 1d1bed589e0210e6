# AMPI's names, pup functions, --migrate-at.
# Programs that know nothing of Weft but AMPI's names.
weft_mpi_program(mpi_shim_ampi_pup_c C SOURCES programs/ampi_pup.c FLAGS -ampi -Wall -Wextra -Werror)
weft_mpi_program(mpi_shim_ampi_pup_cxx CXX SOURCES programs/ampi_pup.cpp FLAGS -ampi -std=c++11 -Wall -Wextra -Werror)
weft_mpi_program(mpi_shim_ampi_pup_fortran Fortran SOURCES programs/ampi_pup.f90)
weft_mpi_program(mpi_shim_plain_barriers C SOURCES programs/plain_barriers.c)
foreach(processes 1 2)
  foreach(language c cxx fortran)
    weft_mpi_test(mpi_shim_ampi_pup_${language}.p${processes} PROGRAM mpi_shim_ampi_pup_${language} RANKS 2 5 WORKERS 2
      LB none rotate OPTIONS --processes ${processes} PASS "all fields right" LABELS mpi)
  endforeach()
  weft_mpi_test(mpi_shim_migrate_at.p${processes} PROGRAM mpi_shim_plain_barriers RANKS 4 WORKERS 2 LB rotate
    OPTIONS --processes ${processes} --migrate-at barrier,allreduce PASS "all sums right, 20 moves" LABELS mpi)
endforeach()
weft_mpi_test(mpi_shim_migrate_at_off PROGRAM mpi_shim_plain_barriers RANKS 4 WORKERS 2 LB rotate
  PASS "all sums right, 0 moves" LABELS mpi)
weft_mpi_test(mpi_shim_migrate_at_unknown PROGRAM mpi_shim_plain_barriers RANKS 2 WORKERS 2 LB rotate
  OPTIONS --migrate-at barrier,scan EXIT 1 PASS "'scan' is none of barrier, allreduce, bcast" LABELS mpi)
