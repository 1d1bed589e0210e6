# Messages, requests, probes, datatypes.
weft_test(mpi_p2p SOURCES p2p_test.cpp USES mpi_shim LABELS cluster)
