weft_test(coll_basic SOURCES coll_basic_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_reduce SOURCES coll_reduce_test.cpp USES mpi_shim LABELS cluster)
