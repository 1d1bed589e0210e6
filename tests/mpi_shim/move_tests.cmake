# Ranks that move between processes of the system, and checkpoints.
weft_mpi_program(mpi_moves CXX SOURCES programs/moves.cpp)
weft_mpi_program(mpi_windows CXX SOURCES programs/windows.cpp)
weft_mpi_program(mpi_moves_fortran Fortran SOURCES programs/moves_fortran.f90)
weft_mpi_program(mpi_checkpointed C SOURCES programs/checkpointed.c)
weft_mpi_program(mpi_spawn_steps C SOURCES programs/spawn_steps.c)
weft_mpi_program(mpi_survives C SOURCES programs/survives.c FLAGS -DMIGRATES)
weft_mpi_program(mpi_survives_collectives C SOURCES programs/survives.c)
weft_mpi_program(mpi_survives_in_memory C SOURCES programs/survives.c FLAGS -DIN_MEMORY)
weft_mpi_program(mpi_sparse_writes C SOURCES programs/sparse_writes.c)
weft_mpi_test(mpi_spawn_steps PROGRAM mpi_spawn_steps RANKS 2 5 WORKERS 2 LB rotate ARGS 4 rotates PASS "all steps right" FAIL "WRONG")
weft_mpi_test(mpi_spawn_steps_threads PROGRAM mpi_spawn_steps RANKS 5 WORKERS 2 LB rotate ARGS 4 threads PASS "all steps right" FAIL "WRONG")
foreach(lb metis hierarchical:metis hwtopo nuco) # which look at who sends to whom
  weft_mpi_test(mpi_spawn_steps PROGRAM mpi_spawn_steps RANKS 5 WORKERS 2 LB ${lb} ARGS 4 PASS "all steps right" FAIL "WRONG")
endforeach()
if(NOT WEFT_SANITIZER) # stacks with red zones do not move
  weft_mpi_test(mpi_spawn_steps_threads_in_processes PROGRAM mpi_spawn_steps RANKS 5 WORKERS 2 LB rotate ARGS 4 threads OPTIONS --processes 2
    PASS "all steps right" FAIL "WRONG" LABELS "mpi;procs")
  weft_mpi_test(mpi_spawn_steps_in_processes PROGRAM mpi_spawn_steps RANKS 2 5 WORKERS 2 LB rotate ARGS 4 rotates OPTIONS --processes 2
    PASS "all steps right" FAIL "WRONG" LABELS "mpi;procs")
  weft_mpi_test(mpi_spawn_steps_in_processes PROGRAM mpi_spawn_steps RANKS 5 WORKERS 2 LB hierarchical hierarchical:metis ARGS 4 OPTIONS --processes 2
    PASS "all steps right" FAIL "WRONG" LABELS "mpi;procs")
  set(programs ${CMAKE_CURRENT_BINARY_DIR}/programs)
  foreach(program mpi_moves mpi_moves_fortran mpi_windows)
    add_test(NAME ${program} COMMAND ${CMAKE_COMMAND} -E env "LB=none rotate"
      sh ${PROJECT_SOURCE_DIR}/tests/launch/processes_test.sh $<TARGET_FILE:weftrun> ${programs}/${program} 2 7)
  endforeach()
  add_test(NAME mpi_checkpoint COMMAND sh ${PROJECT_SOURCE_DIR}/tests/launch/checkpoint_test.sh $<TARGET_FILE:weftrun>
    ${programs}/mpi_checkpointed ${CMAKE_CURRENT_BINARY_DIR}/scratch/checkpoint)
  set_tests_properties(mpi_moves mpi_moves_fortran mpi_windows mpi_checkpoint PROPERTIES LABELS "mpi;procs" TIMEOUT 300
    SKIP_RETURN_CODE 77)
  add_test(NAME mpi_survive COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/launch/survive_test.py $<TARGET_FILE:weftrun>
    ${programs}/mpi_survives ${programs}/mpi_survives_collectives ${programs}/mpi_survives_in_memory
    ${CMAKE_CURRENT_BINARY_DIR}/scratch/survive)
  add_test(NAME mpi_survive_hosts COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/launch/survive_hosts_test.py $<TARGET_FILE:weftrun>
    ${programs}/mpi_survives ${CMAKE_CURRENT_BINARY_DIR}/scratch/survive_hosts)
  add_test(NAME mpi_sparse_writes COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/launch/sparse_writes_test.py $<TARGET_FILE:weftrun>
    ${programs}/mpi_sparse_writes ${CMAKE_CURRENT_BINARY_DIR}/scratch/sparse_writes)
  add_library(mpi_slow_disk MODULE programs/slow_disk.c)
  target_link_libraries(mpi_slow_disk PRIVATE ${CMAKE_DL_LIBS})
  add_test(NAME mpi_images_on_disk COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/launch/images_on_disk_test.py $<TARGET_FILE:weftrun>
    ${programs}/mpi_survives ${CMAKE_CURRENT_BINARY_DIR}/scratch/images_on_disk ${programs}/mpi_checkpointed $<TARGET_FILE:mpi_slow_disk>)
  add_test(NAME mpi_spawn_saves COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/launch/spawn_saves_test.py $<TARGET_FILE:weftrun>
    ${programs}/mpi_spawn_steps ${CMAKE_CURRENT_BINARY_DIR}/scratch/spawn_saves)
  add_test(NAME mpi_resize COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/launch/resize_test.py $<TARGET_FILE:weftrun>
    ${programs}/mpi_survives ${CMAKE_CURRENT_BINARY_DIR}/scratch/resize)
  add_test(NAME mpi_resize_hosts COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/launch/resize_hosts_test.py $<TARGET_FILE:weftrun>
    ${programs}/mpi_survives ${CMAKE_CURRENT_BINARY_DIR}/scratch/resize_hosts)
  set_tests_properties(mpi_survive mpi_sparse_writes mpi_survive_hosts mpi_images_on_disk mpi_spawn_saves mpi_resize mpi_resize_hosts PROPERTIES LABELS "mpi;procs" TIMEOUT 900 SKIP_RETURN_CODE 77)
endif()

# Processes that die while programs use ULFM's calls.
weft_mpi_program(mpi_failures C SOURCES programs/failures.c)
weft_mpi_program(mpi_failures_jobs C SOURCES programs/failures_jobs.c)
add_test(NAME mpi_failures COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/launch/failures_test.py $<TARGET_FILE:weftrun>
  ${CMAKE_CURRENT_BINARY_DIR}/programs/mpi_failures ${CMAKE_CURRENT_BINARY_DIR}/programs/mpi_failures_jobs)
set_tests_properties(mpi_failures PROPERTIES LABELS "mpi;procs" TIMEOUT 600)
weft_mpi_program(mpi_failures_fortran Fortran SOURCES programs/failures_fortran.f90)
weft_mpi_test(mpi_failures_fortran PROGRAM mpi_failures_fortran RANKS 4 WORKERS 1 LB none
  OPTIONS --processes 3 --survive api PASS "fortran: right")

# Files that are open while ranks move, and are saved and rolled back with them.
weft_mpi_program(mpi_open_files C SOURCES programs/open_files.c)
weft_mpi_program(mpi_open_streams CXX SOURCES programs/open_streams.cpp)
weft_mpi_program(mpi_open_units Fortran SOURCES programs/open_units.f90)
weft_mpi_program(mpi_file_rounds C SOURCES programs/file_rounds.c)
foreach(program mpi_open_files mpi_open_streams mpi_open_units)
  set(scratch ${CMAKE_CURRENT_BINARY_DIR}/scratch-${program})
  weft_mpi_test(${program} PROGRAM ${program} RANKS 2 5 WORKERS 2 LB none rotate ARGS ${scratch} PASS "(^|\n)0 faults" LABELS mpi)
  if(NOT WEFT_SANITIZER)
    weft_mpi_test(${program}_one_worker_each PROGRAM ${program} RANKS 2 WORKERS 2 LB rotate ARGS ${scratch} moves OPTIONS --processes 2
      PASS "(^|\n)0 faults" LABELS "mpi;procs")
    weft_mpi_test(${program}_in_processes PROGRAM ${program} RANKS 7 WORKERS 4 LB rotate ARGS ${scratch} moves OPTIONS --processes 3
      PASS "(^|\n)0 faults" LABELS "mpi;procs")
  endif()
endforeach()
if(NOT WEFT_SANITIZER)
  add_test(NAME mpi_files COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/launch/files_test.py $<TARGET_FILE:weftrun>
    ${CMAKE_CURRENT_BINARY_DIR}/programs/mpi_file_rounds ${CMAKE_CURRENT_BINARY_DIR}/scratch/files)
  set_tests_properties(mpi_files PROPERTIES LABELS "mpi;procs" TIMEOUT 300 SKIP_RETURN_CODE 77)
endif()

# Handlers of signals go with their ranks.
weft_mpi_program(mpi_signals C SOURCES programs/signals.c)
weft_mpi_test(mpi_signals PROGRAM mpi_signals RANKS 1 5 WORKERS 1 2 LB none rotate PASS "^0 faults" LABELS mpi)
if(NOT WEFT_SANITIZER)
  weft_mpi_test(mpi_signals_in_processes PROGRAM mpi_signals RANKS 4 7 WORKERS 4 LB rotate ARGS moves OPTIONS --processes 3
    PASS "^0 faults" LABELS "mpi;procs")
endif()

# More messages that nobody asks for than a process has credit for.
weft_mpi_program(mpi_flood C SOURCES programs/flood.c)
foreach(way wait poll match)
  foreach(net auto tcp$<SEMICOLON>ofi_rxm)
    string(REGEX REPLACE "[^a-z].*" "" label ${net})
    weft_mpi_test(mpi_flood_${way}_${label} PROGRAM mpi_flood RANKS 2 WORKERS 2 ARGS 40 ${way} OPTIONS --processes 2 --net ${net}
      PASS "rank 1 has all 10240 messages" LABELS "mpi;procs")
  endforeach()
endforeach()
weft_mpi_test(mpi_flood_from_three PROGRAM mpi_flood RANKS 6 WORKERS 4 ARGS 20 wait OPTIONS --processes 4
  PASS "rank 5 has all 5120 messages" LABELS "mpi;procs")
weft_mpi_test(mpi_flood_at_limit PROGRAM mpi_flood RANKS 2 WORKERS 2 ARGS 40 wait OPTIONS --processes 2 --unexpected-limit 24M
  EXIT 1 PASS "rank 0 in MPI_Send at flood.c:[0-9]+: waits to send to rank 1, tag 1, MPI_COMM_WORLD: the process of rank 1 takes no more messages that nobody has asked for: --unexpected-limit is 25165824 bytes"
  LABELS "mpi;procs")
weft_mpi_test(mpi_flood_below_limit PROGRAM mpi_flood RANKS 2 WORKERS 2 ARGS 40 wait OPTIONS --processes 2 --unexpected-limit 64M
  PASS "rank 1 has all 10240 messages" LABELS "mpi;procs")
if(NOT WEFT_SANITIZER)
  weft_mpi_test(mpi_flood_moves PROGRAM mpi_flood RANKS 4 WORKERS 2 LB rotate ARGS 30 move OPTIONS --processes 2
    PASS "rank 3 has all 7680 messages" LABELS "mpi;procs")
endif()

# Ranks that open a plugin, which the system's compiler made.
add_library(mpi_plugin MODULE programs/plugin.c)
weft_mpi_program(mpi_opens_plugin C SOURCES programs/opens_plugin.c)
add_dependencies(mpi_opens_plugin mpi_plugin)
weft_mpi_test(mpi_opens_plugin PROGRAM mpi_opens_plugin RANKS 5 WORKERS 1 2 LB none rotate ARGS $<TARGET_FILE:mpi_plugin>
  OPTIONS --plugins $<TARGET_FILE:mpi_plugin> PASS "all plugins right" LABELS mpi)
if(NOT WEFT_SANITIZER)
  weft_mpi_test(mpi_opens_plugin_in_processes PROGRAM mpi_opens_plugin RANKS 5 WORKERS 2 LB rotate ARGS $<TARGET_FILE:mpi_plugin>
    OPTIONS --processes 2 --plugins $<TARGET_FILE:mpi_plugin> PASS "all plugins right" LABELS "mpi;procs")
endif()
weft_mpi_test(mpi_plugin_that_is_not_there PROGRAM mpi_opens_plugin RANKS 2 WORKERS 1 OPTIONS --plugins /no/such.so
  EXIT 1 PASS "cannot find plugin /no/such.so" LABELS mpi)
# OTF2 archives, read with their own library.
if(OTF2_INCLUDE_DIR AND OTF2_LIBRARY)
  weft_test(mpi_otf2 SOURCES tool/otf2_test.cpp USES mpi_shim LABELS cluster)
  target_include_directories(mpi_otf2_test SYSTEM PRIVATE ${OTF2_INCLUDE_DIR})
  target_link_libraries(mpi_otf2_test PRIVATE ${OTF2_LIBRARY})
endif()
