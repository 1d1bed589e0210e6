# Ranks that move between processes of the system, and checkpoints.
weft_mpi_program(mpi_moves CXX SOURCES programs/moves.cpp)
weft_mpi_program(mpi_windows CXX SOURCES programs/windows.cpp)
weft_mpi_program(mpi_moves_fortran Fortran SOURCES programs/moves_fortran.f90)
weft_mpi_program(mpi_checkpointed C SOURCES programs/checkpointed.c)
if(NOT WEFT_SANITIZER) # stacks with red zones do not move
  set(programs ${CMAKE_CURRENT_BINARY_DIR}/programs)
  foreach(program mpi_moves mpi_moves_fortran mpi_windows)
    add_test(NAME ${program} COMMAND ${CMAKE_COMMAND} -E env "LB=none rotate"
      sh ${CMAKE_CURRENT_SOURCE_DIR}/processes_test.sh $<TARGET_FILE:weftrun> ${programs}/${program} 2 7)
  endforeach()
  add_test(NAME mpi_checkpoint COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/checkpoint_test.sh $<TARGET_FILE:weftrun>
    ${programs}/mpi_checkpointed ${CMAKE_CURRENT_BINARY_DIR}/scratch/checkpoint)
  set_tests_properties(mpi_moves mpi_moves_fortran mpi_windows mpi_checkpoint PROPERTIES LABELS "mpi;procs" TIMEOUT 300
    SKIP_RETURN_CODE 77)
endif()
