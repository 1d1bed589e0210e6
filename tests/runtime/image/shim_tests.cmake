# Tests of runtime/image/shim: the heap alone, and programs whose ranks use the shim's part of the C library.
weft_test(shim_heap SOURCES shim_heap_test.cpp USES base LABELS unit)
