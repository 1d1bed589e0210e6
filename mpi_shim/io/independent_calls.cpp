// Data calls that a rank makes alone, blocking and non-blocking.
#include "mpi_shim/io/transfer.hpp"

using namespace weft::mpi_shim;
using namespace weft::mpi_shim::io;

extern "C" {

// One call in its int form and its large-count form.
#define WEFT_AT_POINTER(name, large, Buffer, Number, writes, place, run, Result, result)                     \
  int PMPI_File_##name##large(MPI_File fh, Buffer buf, Number count, MPI_Datatype datatype, Result result) { \
    const Entry entry("MPI_File_" #name #large);                                                             \
    return run(entry, {writes, Place::place, fh, 0, buf, count, datatype}, result);                          \
  }
#define WEFT_AT_OFFSET(name, large, Buffer, Number, writes, run, Result, result)                               \
  int PMPI_File_##name##large(MPI_File fh, MPI_Offset offset, Buffer buf, Number count, MPI_Datatype datatype, \
                              Result result) {                                                                 \
    const Entry entry("MPI_File_" #name #large);                                                               \
    return run(entry, {writes, Place::at_offset, fh, offset, buf, count, datatype}, result);                   \
  }
#define WEFT_BOTH(define, name, Buffer, ...) \
  define(name, , Buffer, int, __VA_ARGS__) define(name, _c, Buffer, MPI_Count, __VA_ARGS__)

WEFT_BOTH(WEFT_AT_POINTER, read, void*, false, at_pointer, transfer_now, MPI_Status*, status)
WEFT_BOTH(WEFT_AT_POINTER, write, const void*, true, at_pointer, transfer_now, MPI_Status*, status)
WEFT_BOTH(WEFT_AT_POINTER, read_shared, void*, false, at_shared_pointer, transfer_now, MPI_Status*, status)
WEFT_BOTH(WEFT_AT_POINTER, write_shared, const void*, true, at_shared_pointer, transfer_now, MPI_Status*, status)
WEFT_BOTH(WEFT_AT_OFFSET, read_at, void*, false, transfer_now, MPI_Status*, status)
WEFT_BOTH(WEFT_AT_OFFSET, write_at, const void*, true, transfer_now, MPI_Status*, status)

WEFT_BOTH(WEFT_AT_POINTER, iread, void*, false, at_pointer, start_transfer, MPI_Request*, request)
WEFT_BOTH(WEFT_AT_POINTER, iwrite, const void*, true, at_pointer, start_transfer, MPI_Request*, request)
WEFT_BOTH(WEFT_AT_POINTER, iread_all, void*, false, at_pointer, start_transfer, MPI_Request*, request)
WEFT_BOTH(WEFT_AT_POINTER, iwrite_all, const void*, true, at_pointer, start_transfer, MPI_Request*, request)
WEFT_BOTH(WEFT_AT_POINTER, iread_shared, void*, false, at_shared_pointer, start_transfer, MPI_Request*, request)
WEFT_BOTH(WEFT_AT_POINTER, iwrite_shared, const void*, true, at_shared_pointer, start_transfer, MPI_Request*, request)
WEFT_BOTH(WEFT_AT_OFFSET, iread_at, void*, false, start_transfer, MPI_Request*, request)
WEFT_BOTH(WEFT_AT_OFFSET, iwrite_at, const void*, true, start_transfer, MPI_Request*, request)
WEFT_BOTH(WEFT_AT_OFFSET, iread_at_all, void*, false, start_transfer, MPI_Request*, request)
WEFT_BOTH(WEFT_AT_OFFSET, iwrite_at_all, const void*, true, start_transfer, MPI_Request*, request)

#undef WEFT_BOTH
#undef WEFT_AT_OFFSET
#undef WEFT_AT_POINTER

}  // extern "C"
