# Messages, requests, probes, datatypes.
weft_test(mpi_p2p SOURCES p2p_test.cpp USES mpi_shim LABELS cluster)
weft_test(mpi_datatype SOURCES datatype_test.cpp USES mpi_shim LABELS cluster)
weft_test(mpi_type_markers SOURCES type_markers_test.cpp USES mpi_shim)
weft_test(mpi_request SOURCES request_test.cpp USES mpi_shim LABELS cluster)
weft_test(mpi_generalized_request SOURCES generalized_request_test.cpp USES mpi_shim LABELS cluster)
weft_test(mpi_probe SOURCES probe_test.cpp USES mpi_shim LABELS cluster)
weft_test(mpi_pack SOURCES pack_test.cpp USES mpi_shim LABELS cluster)
weft_test(mpi_fuzz SOURCES fuzz_test.cpp USES mpi_shim LABELS cluster)
weft_test(mpi_partitioned SOURCES partitioned_test.cpp USES mpi_shim LABELS cluster)
weft_test(mpi_external32 SOURCES external32_test.cpp USES mpi_shim LABELS cluster)
# Windows.
weft_test(mpi_rma SOURCES rma_test.cpp USES mpi_shim LABELS cluster)
weft_test(mpi_rma_accumulate SOURCES rma_accumulate_test.cpp USES mpi_shim LABELS cluster)
