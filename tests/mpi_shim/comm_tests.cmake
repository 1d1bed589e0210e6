# State, errors, groups, communicators, attributes, info and topologies.
foreach(source environment/init error/errors group/group comm/comm comm/intercomm attribute/attributes info/info topology/topology)
  cmake_path(GET source FILENAME subject)
  weft_test(mpi_${subject} SOURCES ${source}_test.cpp USES mpi_shim LABELS cluster)
endforeach()
weft_test(mpi_carry_messages SOURCES p2p/carry_messages_test.cpp USES mpi_shim LABELS cluster)
weft_test(mpi_packed_objects SOURCES layer/packed_objects_test.cpp USES mpi_shim LABELS cluster)
weft_test(mpi_session SOURCES session/session_test.cpp USES mpi_shim LABELS cluster)
weft_test(mpi_tool SOURCES tool/tool_test.cpp USES mpi_shim LABELS cluster)
weft_test(mpi_dynamic SOURCES dynamic/dynamic_test.cpp USES mpi_shim LABELS cluster)
weft_test(mpi_spawn SOURCES dynamic/spawn_test.cpp USES mpi_shim LABELS cluster)
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
