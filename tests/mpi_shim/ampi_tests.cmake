# AMPI's names and pup functions.
weft_test(pup_interface SOURCES pup_interface_test.cpp USES mpi_shim LABELS unit)
weft_test(ampi SOURCES ampi_test.cpp USES mpi_shim LABELS cluster)

# Programs that know nothing of Weft but AMPI's names.
weft_mpi_program(mpi_shim_ampi_pup_c C SOURCES programs/ampi_pup.c FLAGS -ampi -Wall -Wextra -Werror)
weft_mpi_program(mpi_shim_ampi_pup_cxx CXX SOURCES programs/ampi_pup.cpp FLAGS -ampi -std=c++11 -Wall -Wextra -Werror)
weft_mpi_program(mpi_shim_ampi_pup_fortran Fortran SOURCES programs/ampi_pup.f90)
foreach(processes 1 2)
  foreach(language c cxx fortran)
    weft_mpi_test(mpi_shim_ampi_pup_${language}.p${processes} PROGRAM mpi_shim_ampi_pup_${language} RANKS 2 5 WORKERS 2
      LB none rotate OPTIONS --processes ${processes} PASS "all fields right" LABELS mpi)
  endforeach()
endforeach()
