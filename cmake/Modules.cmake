# Functions that define targets: weft_module() and weft_part() for libraries, weft_test() for their tests.
set(WEFT_SANITIZER "" CACHE STRING "address,undefined | thread | empty")
# For developers of Weft: another compiler has other warnings, which must not stop a user's build.
option(WEFT_WERROR "Treat warnings as errors" OFF)
set(together ON)
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(together OFF)
endif()
option(WEFT_COMPILE_TOGETHER "Compile the sources of a folder together, in a third of the time" ${together})
# Reading headers takes a third of the time of sources that compile together. With several checkouts turn this off: where headers are
# precompiled, ccache does not reuse results in another folder.
option(WEFT_PRECOMPILE "Precompile headers" ${WEFT_COMPILE_TOGETHER})

add_library(weft_options INTERFACE)
target_compile_options(weft_options INTERFACE
  -fcf-protection=none
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast -Wnon-virtual-dtor
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict # false alarms of g++ 12 in std::string at -O3 (GCC bug 105651)
  # The same false alarms under other names: g++ does not treat a precompiled std::string as part of a system header.
  $<$<BOOL:${WEFT_PRECOMPILE}>:-Wno-stringop-overflow -Wno-array-bounds>
  # Each call clears a request on its stack, and `rep stos` takes some 30 cycles to begin.
  -mmemset-strategy=vector_loop:256:noalign,libcall:-1:noalign
  # KiB in use before the compiler collects garbage: it finds little, and takes an eighth of its time for that.
  --param=ggc-min-heapsize=1048576>
  -fvisibility=hidden -fvisibility-inlines-hidden>
  $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra>
  $<$<AND:$<BOOL:${WEFT_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>)
if(WEFT_SANITIZER)
  # A finding of UBSan ends the program, as one of ASan does: otherwise no test would fail.
  target_compile_options(weft_options INTERFACE
    -fsanitize=${WEFT_SANITIZER} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(weft_options INTERFACE -fsanitize=${WEFT_SANITIZER})
endif()

# weft_module(<name> SOURCES ... [USES module ...] [LINK external ...] [HEADERS header ...] [APART source ...])
# The folder is the module: target weft::<name>, headers included as "<name>/file.hpp". HEADERS, APART: see below.
function(weft_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LINK;HEADERS;APART" ${ARGN})
  add_library(weft_${name} STATIC ${ARG_SOURCES})
  add_library(weft::${name} ALIAS weft_${name})
  target_include_directories(weft_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  list(TRANSFORM ARG_USES PREPEND weft::)
  target_link_libraries(weft_${name} PUBLIC ${ARG_USES} PRIVATE ${ARG_LINK} weft_options)
  if(WEFT_PRECOMPILE AND NOT ARG_HEADERS)
    target_precompile_headers(weft_${name} REUSE_FROM weft_standard_headers)
  endif()
  weft_compile_together(weft_${name} HEADERS ${ARG_HEADERS} APART ${ARG_APART})
endfunction()

# weft_part(<name> SOURCES ... [USES part ...] [LINK external ...] [APART source ...])
# One folder of a library with several folders, or a layer of a folder: an object library weft_<name>. It may use lower parts only, since
# CMake refuses a cycle of object libraries. weft_parts(), called before, sets what the parts have in common; weft_compose() makes the
# library of all parts.
function(weft_part name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LINK;APART" ${ARGN})
  get_property(common GLOBAL PROPERTY WEFT_PARTS_COMMON)
  add_library(weft_${name} OBJECT ${ARG_SOURCES})
  list(TRANSFORM ARG_USES PREPEND weft_)
  target_link_libraries(weft_${name} PUBLIC ${common} ${ARG_USES} PRIVATE ${ARG_LINK} weft_options)
  target_include_directories(weft_${name} PRIVATE ${CMAKE_BINARY_DIR})
  if(TARGET ${common}_precompiled)
    target_precompile_headers(weft_${name} REUSE_FROM ${common}_precompiled)
  endif()
  weft_compile_together(weft_${name} APART ${ARG_APART})
  set_property(GLOBAL APPEND PROPERTY ${common}_PARTS weft_${name})
endfunction()

# weft_parts(<target> USES target ... [HEADERS header ...])
# Sets what the parts that follow have in common: an interface library, and headers that are precompiled once for all of them.
function(weft_parts target)
  cmake_parse_arguments(ARG "" "" "USES;HEADERS" ${ARGN})
  add_library(${target} INTERFACE)
  target_include_directories(${target} INTERFACE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} INTERFACE ${ARG_USES})
  set_property(GLOBAL PROPERTY WEFT_PARTS_COMMON ${target})
  if(WEFT_PRECOMPILE)
    weft_precompiled(${target}_precompiled ${ARG_HEADERS})
    target_link_libraries(${target}_precompiled PRIVATE ${target})
    target_include_directories(${target}_precompiled PRIVATE ${CMAKE_BINARY_DIR})
  endif()
endfunction()

# weft_compose(<target> <common>)   the library of the parts of <common>: a target that links it links their objects
function(weft_compose target common)
  get_property(parts GLOBAL PROPERTY ${common}_PARTS)
  add_library(${target} INTERFACE)
  foreach(part ${parts})
    target_link_libraries(${target} INTERFACE ${part} $<TARGET_OBJECTS:${part}>)
  endforeach()
endfunction()

# weft_compile_together(<target> [HEADERS header ...] [APART source ...])
# A unity build: small files spend most of their compile time on headers and templates, so a dozen sources of a folder compile as one.
# Sources APART compile alone: they define private names that other sources of their folder define, too. HEADERS are precompiled.
# The dev preset and clang-tidy check whether each file includes what it needs.
function(weft_compile_together target)
  cmake_parse_arguments(ARG "" "" "HEADERS;APART" ${ARGN})
  if(NOT WEFT_COMPILE_TOGETHER)
    return()
  endif()
  if(WEFT_PRECOMPILE AND ARG_HEADERS)
    weft_precompile(${target} ${ARG_HEADERS})
  endif()
  get_target_property(sources ${target} SOURCES)
  list(REMOVE_ITEM sources "" ${ARG_APART})
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    string(REPLACE "/" "_" folder "in_${folder}")
    list(LENGTH ${folder} before)
    math(EXPR dozen "${before} / 12")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${dozen})
    list(APPEND ${folder} ${source})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# weft_precompile(<target> header ...)   <header> or path/from/the/top.hpp
function(weft_precompile target)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ REGEX "^[^<]")
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()

# weft_precompiled(<target> header ...)   an object library that only precompiles headers, for others that REUSE_FROM it
function(weft_precompiled target)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp "")
  add_library(${target} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
  target_link_libraries(${target} PRIVATE weft_options)
  weft_precompile(${target} ${ARGN})
endfunction()
if(WEFT_PRECOMPILE)
  weft_precompiled(weft_standard_headers <algorithm> <array> <atomic> <chrono> <condition_variable> <functional> <map> <memory> <mutex>
    <optional> <span> <string> <string_view> <thread> <unordered_map> <vector>)
endif()

# weft_test_headers(<target> [USES module ...] [HEADERS header ...])
# Sets the headers that are precompiled, besides GoogleTest's, for all tests of this folder and of the folders below it.
function(weft_test_headers target)
  cmake_parse_arguments(ARG "" "" "USES;HEADERS" ${ARGN})
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp "")
  add_library(${target} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
  list(TRANSFORM ARG_USES PREPEND weft::)
  weft_compile_as_test(${target} ${ARG_USES})
  target_precompile_headers(${target} PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
  # The dev preset checks whether each test includes what it needs.
  if(ARG_HEADERS AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    weft_precompile(${target} ${ARG_HEADERS})
  endif()
  set(test_headers ${target} PARENT_SCOPE)
endfunction()

# Seconds after which a test counts as hanging: beside other work a test may take 50 times as long as alone.
set(weft_test_timeout 900)

# Tests are not optimized: compiling them is most of a build. They have the same warnings and sanitizers as the code that they test, since
# the linker may take a header's inline function from either.
function(weft_compile_as_test target)
  target_link_libraries(${target} PRIVATE ${ARGN} weft_options GTest::gtest_main GTest::gmock)
  target_compile_options(${target} PRIVATE -O0)
  # Set for both kinds of targets: the defaults of programs and object libraries differ, and then they could not share headers.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
endfunction()

# weft_test(<name> SOURCES ... USES module ... [LABELS ...] [PROPERTIES name value ...] [APART source ...])
# A GoogleTest program. A link takes as long as compiling a source, so a folder has one program for all tests that use the same modules
# and have the same labels. Its sources compile together, a dozen at a time in this order, except those APART: see
# weft_compile_together().
function(weft_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LABELS;PROPERTIES;APART" ${ARGN})
  add_executable(${name}_test ${ARG_SOURCES})
  list(TRANSFORM ARG_USES PREPEND weft::)
  weft_compile_as_test(${name}_test ${ARG_USES})
  target_precompile_headers(${name}_test REUSE_FROM ${test_headers})
  if(WEFT_COMPILE_TOGETHER)
    set_target_properties(${name}_test PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
    set_source_files_properties(${ARG_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  gtest_discover_tests(${name}_test DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${weft_test_timeout} LABELS "${ARG_LABELS}" ${ARG_PROPERTIES})
endfunction()
