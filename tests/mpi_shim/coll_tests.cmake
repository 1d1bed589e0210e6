# Reductions and collective calls.
weft_test(op SOURCES op_test.cpp USES mpi_shim LABELS unit)
weft_test(coll_basic SOURCES coll_basic_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_blocks SOURCES coll_blocks_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_intercomm SOURCES coll_intercomm_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_neighbour SOURCES coll_neighbour_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_reduce SOURCES coll_reduce_test.cpp USES mpi_shim LABELS cluster)
weft_test(coll_bits SOURCES coll_bits_test.cpp USES mpi_shim LABELS cluster)
