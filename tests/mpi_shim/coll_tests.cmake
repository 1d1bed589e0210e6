# Reductions and collective calls.
weft_test(op SOURCES op/op_test.cpp USES mpi_shim LABELS unit)
weft_test(coll_basic SOURCES coll/basic_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_broadcast_ring SOURCES coll/broadcast_ring_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_blocks SOURCES coll/blocks_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_intercomm SOURCES coll/intercomm_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_neighbour SOURCES coll/neighbour_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_reduce SOURCES coll/reduce_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_nonblocking SOURCES coll/nonblocking_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_persistent SOURCES coll/persistent_test.cpp USES mpi_shim LABELS cluster)
weft_test(choice_table SOURCES coll/choice_table_test.cpp USES mpi_shim LABELS unit)
weft_test(coll_choice SOURCES coll/choice_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_deadlock SOURCES coll/deadlock_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_traffic SOURCES coll/traffic_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_bits SOURCES coll/bits_test.cpp USES mpi_shim LABELS cluster)

# In several processes of the system.
weft_mpi_program(mpi_shim_processes C SOURCES programs/processes.c)
if(NOT WEFT_SANITIZER)
  add_test(NAME mpi_shim_processes COMMAND sh ${PROJECT_SOURCE_DIR}/tests/launch/processes_test.sh $<TARGET_FILE:weftrun>
    ${CMAKE_CURRENT_BINARY_DIR}/programs/mpi_shim_processes 1 5 8)
  set_tests_properties(mpi_shim_processes PROPERTIES LABELS procs TIMEOUT 300)
endif()
