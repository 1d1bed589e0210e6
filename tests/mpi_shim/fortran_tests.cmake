# The Fortran bindings over a C library that the test provides, so that no rank is needed.
add_library(mpi_fortran_fake OBJECT fortran/fortran_fake.c)
target_link_libraries(mpi_fortran_fake PRIVATE weft::mpi_header weft_options)
foreach(form mpif_fixed.f mpif_free.f90 use_mpi.f90)
  cmake_path(GET form STEM stem)
  add_executable(mpi_fortran_${stem} fortran/fortran_${form})
  target_include_directories(mpi_fortran_${stem} PRIVATE ${CMAKE_BINARY_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR}/fortran)
  target_link_libraries(mpi_fortran_${stem} PRIVATE mpi_fortran_fake mpifort_abi mpi_abi)
  # mpif.h says nothing of arguments, so the compiler would hold a later buffer to the type of the first.
  target_compile_options(mpi_fortran_${stem} PRIVATE $<$<NOT:$<STREQUAL:${stem},use_mpi>>:-fallow-argument-mismatch -w>)
  set_target_properties(mpi_fortran_${stem} PROPERTIES Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${stem} ENABLE_EXPORTS ON)
  add_test(NAME mpi_fortran_${stem} COMMAND mpi_fortran_${stem})
  set_tests_properties(mpi_fortran_${stem} PROPERTIES LABELS unit TIMEOUT 300)
endforeach()

add_test(NAME mpi_fortran_symbols
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/fortran/fortran_symbols_test.py $<TARGET_FILE:mpifort_abi>
    ${CMAKE_BINARY_DIR}/mpi_shim/generated/functions.list)
set_tests_properties(mpi_fortran_symbols PROPERTIES LABELS unit TIMEOUT 300)

# Whole programs through the wrappers, in place and while every rank moves.
weft_mpi_program(mpi_shim_fortran_messages Fortran SOURCES programs/fortran_messages.f90)
weft_mpi_program(mpi_shim_fortran_collectives Fortran SOURCES programs/fortran_collectives.f)
weft_mpi_program(mpi_shim_fortran_f08 Fortran SOURCES programs/fortran_f08.f90)
foreach(kind messages collectives f08)
  weft_mpi_test(mpi_shim_fortran_${kind} PROGRAM mpi_shim_fortran_${kind} RANKS 1 2 7 16 WORKERS 1 2 LB none rotate
    PASS "all (of )?${kind} right" LABELS mpi)
endforeach()
weft_mpi_program(mpi_shim_fortran_bottom Fortran SOURCES programs/fortran_bottom.f90)
weft_mpi_test(mpi_shim_fortran_bottom PROGRAM mpi_shim_fortran_bottom RANKS 1 2 5 WORKERS 1 2 LB none rotate
  PASS "all values arrived" FAIL "WRONG" LABELS mpi)
weft_mpi_test(mpi_shim_fortran_bottom_processes PROGRAM mpi_shim_fortran_bottom RANKS 5 WORKERS 2 OPTIONS --processes 2
  PASS "all values arrived" FAIL "WRONG" LABELS mpi procs)

# Under options that change default kinds; those that no MPI of these sizes can serve are refused.
set(kinds_by_mpif -DBY_MPIF)
set(kinds_by_mpi -DBY_MPI)
set(kinds_by_f08)
set(kinds_real -fdefault-real-8)
set(kinds_double -fdefault-real-8 -fdefault-double-8)
set(kinds_real4 -freal-4-real-8)
foreach(by by_mpif by_mpi by_f08)
  foreach(options real double real4)
    weft_mpi_program(mpi_shim_fortran_kinds_${by}_${options} Fortran SOURCES programs/fortran_kinds.F90
      FLAGS ${kinds_${by}} ${kinds_${options}})
    weft_mpi_test(mpi_shim_fortran_kinds_${by}_${options} PROGRAM mpi_shim_fortran_kinds_${by}_${options}
      RANKS 2 WORKERS 1 PASS "all kinds right" LABELS mpi)
  endforeach()
endforeach()
weft_mpi_program(mpi_shim_fortran_datarep Fortran SOURCES programs/fortran_datarep.f90)
weft_mpi_test(mpi_shim_fortran_datarep PROGRAM mpi_shim_fortran_datarep RANKS 1 5 WORKERS 2 PASS "all datarep right" LABELS mpi)
weft_mpi_program(mpi_shim_fortran_profiled Fortran SOURCES programs/fortran_profiled.f90)
weft_mpi_test(mpi_shim_fortran_profiled PROGRAM mpi_shim_fortran_profiled RANKS 1 3 WORKERS 2 PASS "counted *2 calls" LABELS mpi)
