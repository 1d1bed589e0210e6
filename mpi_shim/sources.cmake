# The sources of mpi_shim, each owner's lines together.
list(APPEND WEFT_MPI_SHIM_SOURCES
  # the table
  unsupported.cpp
  table/conversions.cpp
  table/removed_names.cpp
)
