# Reductions and collective calls.
weft_test(mpi_coll SOURCES coll/basic_test.cpp coll/bits_test.cpp coll/blocks_test.cpp coll/broadcast_ring_test.cpp coll/choice_test.cpp
  coll/deadlock_test.cpp coll/intercomm_test.cpp coll/migrate_at_test.cpp coll/neighbour_test.cpp coll/nonblocking_test.cpp
  coll/persistent_test.cpp coll/reduce_test.cpp coll/traffic_test.cpp USES mpi_shim LABELS cluster)
weft_test(mpi_unit SOURCES ampi/pup_interface_test.cpp coll/choice_table_test.cpp op/op_test.cpp USES mpi_shim LABELS unit)

# In several processes of the system.
weft_mpi_program(mpi_shim_processes C SOURCES programs/processes.c)
if(NOT WEFT_SANITIZER)
  add_test(NAME mpi_shim_processes COMMAND sh ${PROJECT_SOURCE_DIR}/tests/launch/processes_test.sh $<TARGET_FILE:weftrun>
    ${CMAKE_CURRENT_BINARY_DIR}/programs/mpi_shim_processes 1 5 8)
  set_tests_properties(mpi_shim_processes PROPERTIES LABELS procs TIMEOUT 300)
endif()
