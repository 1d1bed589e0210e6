# Files.
foreach(subject access datarep file move)
  weft_test(mpi_io_${subject} SOURCES io/${subject}_test.cpp USES mpi_shim LABELS cluster)
endforeach()
