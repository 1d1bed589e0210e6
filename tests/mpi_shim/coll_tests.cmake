# Reductions and collective calls.
weft_test(op SOURCES op_test.cpp USES mpi_shim LABELS unit)
weft_test(coll_basic SOURCES coll_basic_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_stream SOURCES coll_stream_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_blocks SOURCES coll_blocks_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_intercomm SOURCES coll_intercomm_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_neighbour SOURCES coll_neighbour_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_reduce SOURCES coll_reduce_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_nonblocking SOURCES coll_nonblocking_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_persistent SOURCES coll_persistent_test.cpp USES mpi_shim LABELS cluster)
weft_test(choice_table SOURCES choice_table_test.cpp USES mpi_shim LABELS unit)
weft_test(coll_choice SOURCES coll_choice_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_deadlock SOURCES coll_deadlock_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_traffic SOURCES coll_traffic_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_bits SOURCES coll_bits_test.cpp USES mpi_shim LABELS cluster)

# In several processes of the system.
weft_mpi_program(mpi_shim_processes C SOURCES programs/processes.c)
if(NOT WEFT_SANITIZER)
  add_test(NAME mpi_shim_processes COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/processes_test.sh $<TARGET_FILE:weftrun>
    ${CMAKE_CURRENT_BINARY_DIR}/programs/mpi_shim_processes 1 5 8)
  set_tests_properties(mpi_shim_processes PROPERTIES LABELS procs TIMEOUT 300)
endif()
