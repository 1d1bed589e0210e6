# Ranks that share a worker and wait, compute, or make processes without MPI.
weft_mpi_program(mpi_pauses C SOURCES programs/pauses.c FLAGS -pthread LIBS -pthread)
foreach(what token alone alarm threads)
  weft_mpi_test(mpi_pauses_${what} PROGRAM mpi_pauses RANKS 4 WORKERS 1 2 LB none rotate ARGS ${what} OPTIONS --migrate-at barrier PASS "all ranks went on"
    FAIL "WRONG")
  weft_mpi_test(mpi_pauses_${what}_processes PROGRAM mpi_pauses RANKS 5 WORKERS 1 2 ARGS ${what} OPTIONS --processes 2
    PASS "all ranks went on" FAIL "WRONG" LABELS "mpi;procs")
endforeach()
weft_mpi_test(mpi_pauses_continuous PROGRAM mpi_pauses RANKS 6 WORKERS 2 ARGS token OPTIONS --lb-continuous PASS "all ranks went on" FAIL "WRONG")

weft_mpi_program(mpi_computes C SOURCES programs/computes.c LIBS -lm)
if(NOT WEFT_SANITIZER) # ranks are not preempted there
  foreach(threads "" threads)
    set(name mpi_preemption)
    if(threads)
      string(APPEND name _threads)
    endif()
    weft_mpi_test(${name}_spin PROGRAM mpi_computes RANKS 4 WORKERS 1 2 ARGS spin ${threads} OPTIONS --preempt 1 PASS "all ranks went on")
    weft_mpi_test(${name}_sums PROGRAM mpi_computes RANKS 3 WORKERS 1 ARGS sums ${threads} OPTIONS --preempt 1 PASS "all ranks went on"
      FAIL "WRONG")
  endforeach()
  weft_mpi_test(mpi_preemption_misdescribed PROGRAM mpi_computes RANKS 2 WORKERS 1 ARGS misdescribed OPTIONS --preempt 1
    PASS "all ranks went on")
  foreach(options "--workers 1" "--workers 2" "--workers 2 --processes 2" "--workers 4 --processes 2")
    string(REGEX REPLACE "[^0-9]+" "_" name "mpi_preemption_ends${options}")
    string(REGEX REPLACE "^_" "mpi_preemption_ends_" name "${name}")
    separate_arguments(words UNIX_COMMAND "${options}")
    add_test(NAME ${name} COMMAND sh ${PROJECT_SOURCE_DIR}/tests/launch/preemption_test.sh $<TARGET_FILE:weftrun>
      ${CMAKE_CURRENT_BINARY_DIR}/programs/mpi_computes ${words})
    set_tests_properties(${name} PROPERTIES LABELS "mpi;procs" TIMEOUT 300)
  endforeach()
endif()

weft_mpi_program(mpi_forks C SOURCES programs/forks.c)
weft_mpi_test(mpi_forks_children PROGRAM mpi_forks RANKS 3 WORKERS 1 2 ARGS children FAIL "WRONG"
  PASS "rank [0-2]: MPI_Recv: called in a child that the rank forked.*all children ended well")
weft_mpi_test(mpi_forks_children_processes PROGRAM mpi_forks RANKS 3 WORKERS 2 ARGS children OPTIONS --processes 2 FAIL "WRONG"
  PASS "all children ended well" LABELS "mpi;procs")
weft_mpi_program(mpi_child_streams C SOURCES programs/child_streams.c)
weft_mpi_test(mpi_child_streams PROGRAM mpi_child_streams RANKS 3 WORKERS 1 2 FAIL "WRONG|word" PASS "all streams were right")
weft_mpi_test(mpi_child_streams_processes PROGRAM mpi_child_streams RANKS 3 WORKERS 2 OPTIONS --processes 2 FAIL "WRONG|word"
  PASS "all streams were right" LABELS "mpi;procs")
if(NOT WEFT_SANITIZER)  # its library would have to come first
  add_library(mpi_aborts_at_exit MODULE programs/aborts_at_exit.c)
  add_test(NAME mpi_aborts_at_exit COMMAND ${CMAKE_COMMAND} -E env LD_PRELOAD=$<TARGET_FILE:mpi_aborts_at_exit> $<TARGET_FILE:weftrun> -n 2
    ${CMAKE_CURRENT_BINARY_DIR}/programs/mpi_pauses token)
  set_tests_properties(mpi_aborts_at_exit PROPERTIES LABELS mpi TIMEOUT 120
    PASS_REGULAR_EXPRESSION "all ranks went on.*a thread outside of the ranks: Aborted: abort" FAIL_REGULAR_EXPRESSION "WRONG")
endif()
foreach(call execv execve execvp execvpe execl execlp execle fexecve daemon)
  weft_mpi_test(mpi_forks_${call} PROGRAM mpi_forks RANKS 3 WORKERS 2 ARGS ${call} EXIT 1
    PASS "rank 2, last in MPI_Comm_size: ${call}\\(.*\\) was called: it would end the job's other ranks")
endforeach()
