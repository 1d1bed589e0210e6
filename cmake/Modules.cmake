# One vocabulary for every target: weft_module() for a library, weft_test() for its tests.
set(WEFT_SANITIZER "" CACHE STRING "address,undefined | thread | empty")
option(WEFT_WERROR "Treat warnings as errors" ON)

add_library(weft_options INTERFACE)
target_compile_options(weft_options INTERFACE
  -fcf-protection=none
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast -Wnon-virtual-dtor
  -Wno-restrict # false alarms of g++ 12 in std::string at -O3 (GCC bug 105651)
  # Each call clears a request on its stack, and `rep stos` takes some 30 cycles to begin.
  $<$<CXX_COMPILER_ID:GNU>:-mmemset-strategy=vector_loop:256:noalign,libcall:-1:noalign>
  -fvisibility=hidden -fvisibility-inlines-hidden>
  $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra>
  $<$<AND:$<BOOL:${WEFT_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>)
if(WEFT_SANITIZER)
  target_compile_options(weft_options INTERFACE -fsanitize=${WEFT_SANITIZER} -fno-omit-frame-pointer)
  target_link_options(weft_options INTERFACE -fsanitize=${WEFT_SANITIZER})
endif()

# weft_module(<name> SOURCES ... [USES module ...] [LINK external ...])
# The folder is the module: target weft::<name>, headers included as "<name>/file.hpp".
function(weft_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LINK" ${ARGN})
  add_library(weft_${name} STATIC ${ARG_SOURCES})
  add_library(weft::${name} ALIAS weft_${name})
  target_include_directories(weft_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  list(TRANSFORM ARG_USES PREPEND weft::)
  target_link_libraries(weft_${name} PUBLIC ${ARG_USES} PRIVATE ${ARG_LINK} weft_options)
endfunction()

# weft_test(<name> SOURCES ... USES module ... [LABELS ...])   a GoogleTest program
# Tests are little optimized and share GoogleTest's headers precompiled: compiling them is most of a build. What they do
# themselves needs no check for undefined behaviour, which would double their time.
set(weft_test_options -O1)
if(WEFT_SANITIZER)
  set(weft_test_options -O0 -fno-sanitize=undefined)
endif()
function(weft_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LABELS" ${ARGN})
  add_executable(${name}_test ${ARG_SOURCES})
  list(TRANSFORM ARG_USES PREPEND weft::)
  target_link_libraries(${name}_test PRIVATE ${ARG_USES} weft_options GTest::gtest_main GTest::gmock)
  target_compile_options(${name}_test PRIVATE ${weft_test_options})
  if(NOT TARGET weft_test_headers)
    file(WRITE ${PROJECT_BINARY_DIR}/test_headers.cpp "int main() {}\n")
    add_executable(weft_test_headers ${PROJECT_BINARY_DIR}/test_headers.cpp)
    target_link_libraries(weft_test_headers PRIVATE weft_options GTest::gtest_main GTest::gmock)
    target_compile_options(weft_test_headers PRIVATE ${weft_test_options})
    target_precompile_headers(weft_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
  endif()
  target_precompile_headers(${name}_test REUSE_FROM weft_test_headers)
  set(timeout 120)
  if(WEFT_SANITIZER)
    set(timeout 900)
  endif()
  gtest_discover_tests(${name}_test PROPERTIES TIMEOUT ${timeout} LABELS "${ARG_LABELS}" DISCOVERY_TIMEOUT 60)
endfunction()
