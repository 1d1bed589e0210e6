# The sources of mpi_shim, each owner's lines together.
list(APPEND WEFT_MPI_SHIM_SOURCES
)
