# Files.
foreach(subject io_access io_datarep io_file io_move)
  weft_test(mpi_${subject} SOURCES ${subject}_test.cpp USES mpi_shim LABELS cluster)
endforeach()
