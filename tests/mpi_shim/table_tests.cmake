# The table against what was built from it.
weft_test(mpi_table_values SOURCES table/table_values_test.cpp USES mpi_header mpi_abi LABELS unit)
set_target_properties(mpi_table_values_test PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)  # it sees mpi.h and nothing of the library
add_test(NAME mpi_entry_points
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/table/entry_points_test.py ${PROJECT_SOURCE_DIR}/mpi_shim)
set_tests_properties(mpi_entry_points PROPERTIES LABELS unit)

# Its small programs are built without sanitizers, so they cannot load a library that has one.
if(NOT WEFT_SANITIZER)
  add_test(NAME mpi_table_symbols
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/table/table_symbols_test.py $<TARGET_FILE:mpi_abi>
      ${CMAKE_BINARY_DIR}/include ${CMAKE_BINARY_DIR}/mpi_shim/generated/functions.list ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER})
  set_tests_properties(mpi_table_symbols PROPERTIES LABELS unit TIMEOUT 300)
  add_test(NAME mpi_manual COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/table/manual_test.py ${PROJECT_SOURCE_DIR}/mpi_shim
    ${CMAKE_BINARY_DIR}/share/man)
  set_tests_properties(mpi_manual PROPERTIES LABELS unit)
endif()

weft_mpi_program(mpi_shim_large_counts C SOURCES programs/large_counts.c)
weft_mpi_test(mpi_shim_large_counts PROGRAM mpi_shim_large_counts RANKS 1 4 WORKERS 1 2 PASS "all counts right" LABELS mpi)
weft_mpi_program(mpi_shim_constants C SOURCES programs/constants.c FLAGS -O2 -Wall -Wextra -Werror)
weft_mpi_test(mpi_shim_constants PROGRAM mpi_shim_constants RANKS 1 2 WORKERS 1 PASS "all constants" LABELS mpi)
weft_mpi_program(mpi_shim_profiled C SOURCES programs/profiled.c)
weft_mpi_test(mpi_shim_profiled PROGRAM mpi_shim_profiled RANKS 1 5 WORKERS 2 PASS "counted 1 sends" LABELS mpi)
