# State, errors, groups, communicators, attributes, info and topologies.
weft_test(mpi_comm SOURCES attribute/attributes_test.cpp comm/comm_test.cpp comm/intercomm_test.cpp dynamic/dynamic_test.cpp
  dynamic/spawn_test.cpp environment/init_test.cpp error/errors_test.cpp group/group_test.cpp info/info_test.cpp
  layer/leaks_test.cpp layer/packed_objects_test.cpp session/session_test.cpp state/leak_report_test.cpp tool/tool_test.cpp topology/topology_test.cpp USES mpi_shim LABELS cluster)
weft_mpi_program(mpi_shim_spawn C SOURCES programs/spawn.c)
weft_mpi_program(mpi_shim_spawned C SOURCES programs/spawned.c)
weft_mpi_program(mpi_shim_fortran_spawn Fortran SOURCES programs/fortran_spawn.f90)
foreach(language spawn fortran_spawn)
  weft_mpi_test(mpi_shim_${language} PROGRAM mpi_shim_${language} RANKS 1 3 WORKERS 2 LB none rotate
    PASS "all spawned right" FAIL "WRONG" LABELS mpi)
  weft_mpi_test(mpi_shim_${language}_processes PROGRAM mpi_shim_${language} RANKS 3 WORKERS 2 OPTIONS --processes 2
    PASS "all spawned right" FAIL "WRONG" LABELS mpi procs)
endforeach()

# Exceptions that leave functions of the program.
weft_mpi_program(mpi_exceptions CXX SOURCES programs/exceptions.cpp)
weft_mpi_test(mpi_exceptions PROGRAM mpi_exceptions RANKS 1 3 8 WORKERS 1 2 LB none rotate PASS "exceptions: ok" FAIL "FAILED")
if(NOT WEFT_SANITIZER) # whose fixtures want all processes' memory
  weft_mpi_test(mpi_exceptions_in_processes PROGRAM mpi_exceptions RANKS 2 7 WORKERS 2 LB none rotate OPTIONS --processes 2
    PASS "exceptions: ok" FAIL "FAILED" LABELS "mpi;procs")
endif()

# Communicators that one member has freed before another one comes to them.
weft_mpi_program(mpi_freed_comms C SOURCES programs/freed_comms.c)
weft_mpi_test(mpi_freed_comms PROGRAM mpi_freed_comms RANKS 5 8 WORKERS 1 3 LB none rotate PASS "all freed right" FAIL "WRONG")
weft_mpi_test(mpi_freed_comms_processes PROGRAM mpi_freed_comms RANKS 5 8 WORKERS 2 LB none rotate OPTIONS --processes 2
  PASS "all freed right" FAIL "WRONG" LABELS mpi procs)
