# Files.
weft_test(mpi_io SOURCES io/access_test.cpp io/datarep_test.cpp io/file_test.cpp io/move_test.cpp USES mpi_shim LABELS cluster)
