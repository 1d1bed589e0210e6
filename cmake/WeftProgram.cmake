# MPI programs compiled by the wrappers of this build, and tests that run them under weftrun.

# No program runs with TSan: its shadow memory lies where ranks' slots do.
set(weft_programs_in_all ALL)
if(WEFT_SANITIZER STREQUAL "thread")
  set(weft_programs_in_all)
endif()

# weft_mpi_program(<name> C|CXX|Fortran SOURCES ... [FLAGS ...] [INCLUDES dir ...] [LIBS ...])
# Builds programs/<name> in the current binary directory with weftcc, weftcxx or weftfort, as a user would. FLAGS go to every compile,
# LIBS to the end of the link. C and C++ sources compile on their own and follow their headers; Fortran sources compile in the
# order given (modules first). Target <name> is part of `all` where programs can run.
function(weft_mpi_program name language)
  cmake_parse_arguments(ARG "" "" "SOURCES;FLAGS;INCLUDES;LIBS" ${ARGN})
  set(wrapper_C weftcc)
  set(wrapper_CXX weftcxx)
  set(wrapper_Fortran weftfort)
  set(wrapper ${CMAKE_BINARY_DIR}/bin/${wrapper_${language}})
  set(program ${CMAKE_CURRENT_BINARY_DIR}/programs/${name})
  set(folder ${program}.dir)
  file(MAKE_DIRECTORY ${folder})
  set(flags_C -std=gnu11)
  set(flags_CXX -std=c++20)
  set(flags_Fortran -J${folder})
  set(flags -O2 -g ${flags_${language}} ${ARG_FLAGS})
  foreach(directory ${ARG_INCLUDES})
    list(APPEND flags -I${directory})
  endforeach()
  list(TRANSFORM ARG_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
  set(needs weft_wrappers ${CMAKE_BINARY_DIR}/lib/weft/rank_start.o ${wrapper})
  if(language STREQUAL "Fortran")
    set(objects ${ARG_SOURCES})
  else()
    set(objects "")
    foreach(source ${ARG_SOURCES})
      cmake_path(GET source FILENAME file)
      set(object ${folder}/${file}.o)
      add_custom_command(OUTPUT ${object}
        COMMAND ${wrapper} ${flags} -MD -MT ${object} -MF ${object}.d -c ${source} -o ${object}
        DEPENDS ${source} ${needs} DEPFILE ${object}.d COMMENT "${wrapper_${language}} ${name}: ${file}" VERBATIM)
      list(APPEND objects ${object})
    endforeach()
    set(flags -g)
  endif()
  if("-lweft_iterations" IN_LIST ARG_LIBS)
    list(APPEND needs ${CMAKE_BINARY_DIR}/lib/libweft_iterations.a)
  endif()
  add_custom_command(OUTPUT ${program}
    COMMAND ${wrapper} ${flags} ${objects} ${ARG_LIBS} -o ${program}
    DEPENDS ${objects} ${needs} COMMENT "${wrapper_${language}} ${name}" VERBATIM)
  add_custom_target(${name} ${weft_programs_in_all} DEPENDS ${program})
  set_target_properties(${name} PROPERTIES WEFT_PROGRAM ${program})
endfunction()

# weft_mpi_test(<name> PROGRAM <target> RANKS n ... [WORKERS n ...] [LB name ...] [ARGS ...] [OPTIONS ...] [LABELS ...]
#               [TIMEOUT s] [PASS regex] [FAIL regex] [EXIT code])
# One test for each combination: weftrun -n <ranks> --workers <workers> --lb <name> <options> <program> <args>, named
# <name>.n<ranks>.w<workers>[.<lb>]. It passes if the exit code is EXIT (default 0) and, if given, the output matches PASS.
function(weft_mpi_test name)
  cmake_parse_arguments(ARG "" "PROGRAM;TIMEOUT;PASS;FAIL;EXIT" "RANKS;WORKERS;LB;ARGS;OPTIONS;LABELS" ${ARGN})
  get_target_property(program ${ARG_PROGRAM} WEFT_PROGRAM)
  foreach(list_and_default "WORKERS=1;2" "LB=none" "TIMEOUT=${weft_test_timeout}" "EXIT=0" "LABELS=mpi")
    string(REGEX MATCH "^([A-Z]+)=(.*)$" unused "${list_and_default}")
    if(NOT DEFINED ARG_${CMAKE_MATCH_1})
      set(ARG_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    endif()
  endforeach()
  foreach(ranks ${ARG_RANKS})
    foreach(workers ${ARG_WORKERS})
      foreach(lb ${ARG_LB})
        set(test ${name}.n${ranks}.w${workers})
        if(NOT lb STREQUAL "none")
          string(APPEND test .${lb})
        endif()
        add_test(NAME ${test} COMMAND ${CMAKE_COMMAND} "-DEXIT=${ARG_EXIT}" "-DPASS=${ARG_PASS}" "-DFAIL=${ARG_FAIL}"
          -P ${PROJECT_SOURCE_DIR}/cmake/RunProgram.cmake -- ${CMAKE_BINARY_DIR}/bin/weftrun -n ${ranks} --workers ${workers}
          --lb ${lb} ${ARG_OPTIONS} ${program} ${ARG_ARGS})
        set_tests_properties(${test} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} PROCESSORS ${workers})
      endforeach()
    endforeach()
  endforeach()
endfunction()
