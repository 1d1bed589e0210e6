# Messages, requests, probes, datatypes.
weft_test(mpi_messages SOURCES ampi/ampi_test.cpp entry/thread_calls_test.cpp entry/threads_test.cpp error/argument_errors_test.cpp
  p2p/buffered_sends_test.cpp p2p/packing_test.cpp p2p/p2p_test.cpp p2p/partitioned_test.cpp p2p/probe_test.cpp
  request/generalized_request_test.cpp request/request_test.cpp tool/record_test.cpp USES mpi_shim LABELS cluster)
weft_test(mpi_memory SOURCES datatype/datatype_test.cpp datatype/external32_test.cpp datatype/pack_test.cpp
  datatype/type_markers_test.cpp rma/accumulate_test.cpp rma/rma_test.cpp USES mpi_shim LABELS cluster)
# Alone, to be run for long (tests/README.md).
weft_test(mpi_fuzz SOURCES p2p/fuzz_test.cpp USES mpi_shim LABELS cluster)
# Random arguments, for every function of the table. Alone, too: it sets options of the sanitizers.
set(argument_calls ${CMAKE_CURRENT_BINARY_DIR}/argument_calls.cpp)
add_custom_command(OUTPUT ${argument_calls}
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/error/argument_calls.py --table ${PROJECT_SOURCE_DIR}/mpi_shim/table
    --output ${argument_calls}
  DEPENDS error/argument_calls.py ${PROJECT_SOURCE_DIR}/mpi_shim/table/functions.txt ${PROJECT_SOURCE_DIR}/mpi_shim/table/model.py VERBATIM)
# It calls deprecated functions, and says so before it includes mpi.h.
set_source_files_properties(${argument_calls} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
weft_test(mpi_argument_fuzz SOURCES error/argument_fuzz_test.cpp error/argument_values.cpp error/argument_numbers.cpp
  error/argument_notes.cpp error/argument_holdings.cpp ${argument_calls} USES mpi_shim LABELS cluster APART ${argument_calls})
weft_mpi_program(mpi_shim_huge_pages C SOURCES programs/huge_pages.c)
weft_mpi_test(mpi_shim_huge_pages PROGRAM mpi_shim_huge_pages RANKS 2 ARGS 1 PASS "as wanted" FAIL "WRONG" LABELS mpi)
weft_mpi_test(mpi_shim_no_huge_pages PROGRAM mpi_shim_huge_pages RANKS 2 ARGS 0 OPTIONS --huge-pages no PASS "as wanted" FAIL "WRONG"
  LABELS mpi)
# Buffers that are described by addresses alone.
weft_mpi_program(mpi_shim_bottom CXX SOURCES programs/bottom.cpp programs/bottom_collectives.cpp programs/bottom_reductions.cpp
  programs/bottom_messages.cpp programs/bottom_memory.cpp)
weft_mpi_test(mpi_shim_bottom PROGRAM mpi_shim_bottom RANKS 1 2 5 WORKERS 1 2 LB none rotate PASS "^0 faults" FAIL "WRONG" LABELS mpi)
set(bottom ${CMAKE_CURRENT_BINARY_DIR}/programs/mpi_shim_bottom)
add_test(NAME mpi_shim_bottom_table
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/table/bottom_table_test.py ${PROJECT_SOURCE_DIR}/mpi_shim/table ${bottom})
set_tests_properties(mpi_shim_bottom_table PROPERTIES LABELS mpi) # of a program, which TSan's build does not have
if(NOT WEFT_SANITIZER) # stacks with red zones do not move
  add_test(NAME mpi_shim_bottom_processes COMMAND ${CMAKE_COMMAND} -E env "LB=none rotate"
    sh ${PROJECT_SOURCE_DIR}/tests/launch/processes_test.sh $<TARGET_FILE:weftrun> ${bottom} 5)
  set_tests_properties(mpi_shim_bottom_processes PROPERTIES LABELS "mpi;procs" TIMEOUT 300)
endif()
# Threads of ranks.
weft_mpi_program(mpi_shim_threads C SOURCES programs/threads.c FLAGS -pthread LIBS -pthread)
weft_mpi_program(mpi_shim_threads_openmp C SOURCES programs/threads_openmp.c FLAGS -fopenmp LIBS -fopenmp)
foreach(program threads threads_openmp)
  weft_mpi_test(mpi_shim_${program} PROGRAM mpi_shim_${program} RANKS 1 4 WORKERS 1 2 LB none rotate
    OPTIONS --migrate-at barrier PASS "all threads talked" FAIL "WRONG" LABELS mpi)
  weft_mpi_test(mpi_shim_${program}_processes PROGRAM mpi_shim_${program} RANKS 4 WORKERS 2 OPTIONS --processes 2
    PASS "all threads talked" FAIL "WRONG" LABELS mpi procs)
endforeach()
# What clang's code passes to OpenMP's library: see runtime/image/openmp_calls.hpp. The library is one made up for the test.
add_library(mpi_libomp_numbers SHARED programs/libomp_numbers.c)
set_target_properties(mpi_libomp_numbers PROPERTIES OUTPUT_NAME omp_numbers LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/programs)
weft_mpi_program(mpi_shim_openmp_numbers C SOURCES programs/openmp_numbers.c
  LIBS -L${CMAKE_CURRENT_BINARY_DIR}/programs -Wl,-rpath,${CMAKE_CURRENT_BINARY_DIR}/programs -lomp_numbers)
add_dependencies(mpi_shim_openmp_numbers mpi_libomp_numbers)
weft_mpi_test(mpi_shim_openmp_numbers PROGRAM mpi_shim_openmp_numbers RANKS 4 WORKERS 2 LB rotate OPTIONS --migrate-at barrier
  PASS "^0 faults, on several threads" LABELS mpi)
# Main threads alone call. Outside of OpenMP's regions that keeps no rank in place; inside each keeps its thread, whose team would
# otherwise be mixed up with another rank's.
weft_mpi_program(mpi_shim_threads_openmp_main C SOURCES programs/threads_openmp_main.c FLAGS -fopenmp LIBS -fopenmp)
set(main_threads PROGRAM mpi_shim_threads_openmp_main RANKS 4 WORKERS 1 2 LABELS mpi)
foreach(level FUNNELED MULTIPLE)
  weft_mpi_test(mpi_shim_threads_openmp_outside_${level} ${main_threads} OPTIONS --migrate-at barrier LB none rotate ARGS outside ${level}
    PASS "all sums are right" FAIL "WRONG|stay where they are")
  weft_mpi_test(mpi_shim_threads_openmp_inside_${level} ${main_threads} LB none ARGS inside ${level} PASS "all sums are right" FAIL "WRONG")
  weft_mpi_test(mpi_shim_threads_openmp_inside_${level}_moving ${main_threads} OPTIONS --migrate-at barrier LB rotate ARGS inside ${level}
    PASS "a main thread waits in an OpenMP region.*all sums are right|all sums are right.*a main thread waits in an OpenMP region" FAIL "WRONG")
endforeach()
# What threads keep in a process, and what goes along.
weft_mpi_program(mpi_shim_threads_moving C SOURCES programs/threads_moving.c FLAGS -fopenmp LIBS -fopenmp)
set(moving_threads PROGRAM mpi_shim_threads_moving RANKS 4 LB rotate LABELS mpi)
weft_mpi_test(mpi_shim_threads_moving ${moving_threads} WORKERS 2
  PASS "^0 faults; to other processes: 0 with OpenMP, 0 with own threads, 0 after; to other workers: [1-9]")
if(NOT WEFT_SANITIZER) # stacks with red zones do not move
  weft_mpi_test(mpi_shim_threads_moving_processes ${moving_threads} WORKERS 1 2 OPTIONS --processes 2
    PASS "^0 faults; to other processes: 48 with OpenMP, 0 with own threads, 4 after;")
  weft_mpi_program(mpi_shim_mappings_moving C SOURCES programs/mappings_moving.c)
  weft_mpi_test(mpi_shim_mappings_moving PROGRAM mpi_shim_mappings_moving RANKS 4 WORKERS 1 2 LB rotate OPTIONS --processes 2 LABELS mpi
    PASS "^0 faults; to other processes: 40 with plain memory, 40 with files, 0 with shared")
endif()
