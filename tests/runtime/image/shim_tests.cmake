# Tests of runtime/image/libc_shim: the heap alone, and programs whose ranks use the shim's part of the C library.
weft_test(shim_heap SOURCES shim_heap_test.cpp USES base LABELS unit)

if(TARGET weft_rank)
  weft_image_program(shim_state shim_state.c COMPILE -fno-builtin-malloc -fno-builtin-realloc -fno-builtin-calloc LINK -lm)
  weft_image_program(shim_like_libc shim_like_libc.c)
  weft_image_program(shim_output shim_output.c)
  weft_image_program(shim_cpp shim_cpp.cpp)
  weft_image_program(shim_misuse shim_misuse.c COMPILE -UNDEBUG -fno-builtin-malloc -Wno-free-nonheap-object)
  weft_image_program(shim_mappings shim_mappings.c)
  weft_image_program(shim_pinned shim_pinned.c)
  weft_image_program(shim_openmp shim_openmp.c COMPILE -fopenmp LINK -fopenmp)
  weft_image_test(shim_ranks shim_ranks_test.cpp)
endif()
