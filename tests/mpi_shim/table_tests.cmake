# The table against what was built from it.
weft_test(mpi_table_values SOURCES table_values_test.cpp USES mpi_header mpi_abi LABELS unit)

add_test(NAME mpi_table_symbols
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/table_symbols_test.py $<TARGET_FILE:mpi_abi>
    ${CMAKE_BINARY_DIR}/include ${CMAKE_BINARY_DIR}/mpi_shim/generated/functions.list ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER})
set_tests_properties(mpi_table_symbols PROPERTIES LABELS unit TIMEOUT 120)
