// Data calls that all members of a file's group make, blocking and in two halves.
#include "mpi_shim/io/transfer.hpp"

using namespace weft::mpi_shim;
using namespace weft::mpi_shim::io;

extern "C" {

// One call in its int form and its large-count form.
#define WEFT_TOGETHER(name, large, Buffer, Number, writes, place)                                                 \
  int PMPI_File_##name##large(MPI_File fh, Buffer buf, Number count, MPI_Datatype datatype, MPI_Status* status) { \
    const Entry entry("MPI_File_" #name #large);                                                                  \
    return transfer_together_now(entry, {writes, Place::place, fh, 0, buf, count, datatype}, status);             \
  }
#define WEFT_TOGETHER_AT(name, large, Buffer, Number, writes)                                                  \
  int PMPI_File_##name##large(MPI_File fh, MPI_Offset offset, Buffer buf, Number count, MPI_Datatype datatype, \
                              MPI_Status* status) {                                                            \
    const Entry entry("MPI_File_" #name #large);                                                               \
    return transfer_together_now(entry, {writes, Place::at_offset, fh, offset, buf, count, datatype}, status); \
  }
#define WEFT_BEGIN(name, large, Buffer, Number, writes, place)                                        \
  int PMPI_File_##name##_begin##large(MPI_File fh, Buffer buf, Number count, MPI_Datatype datatype) { \
    const Entry entry("MPI_File_" #name "_begin" #large);                                             \
    return begin_split(entry, Split::name, {writes, Place::place, fh, 0, buf, count, datatype});      \
  }
#define WEFT_BEGIN_AT(name, large, Buffer, Number, writes)                                                \
  int PMPI_File_##name##_begin##large(MPI_File fh, MPI_Offset offset, Buffer buf, Number count,           \
                                      MPI_Datatype datatype) {                                            \
    const Entry entry("MPI_File_" #name "_begin" #large);                                                 \
    return begin_split(entry, Split::name, {writes, Place::at_offset, fh, offset, buf, count, datatype}); \
  }
#define WEFT_END(name, Buffer)                                                  \
  int PMPI_File_##name##_end(MPI_File fh, Buffer /*buf*/, MPI_Status* status) { \
    const Entry entry("MPI_File_" #name "_end");                                \
    return end_split(entry, Split::name, fh, status);                           \
  }
#define WEFT_BOTH(define, name, Buffer, ...) \
  define(name, , Buffer, int, __VA_ARGS__) define(name, _c, Buffer, MPI_Count, __VA_ARGS__)

WEFT_BOTH(WEFT_TOGETHER, read_all, void*, false, at_pointer)
WEFT_BOTH(WEFT_TOGETHER, write_all, const void*, true, at_pointer)
WEFT_BOTH(WEFT_TOGETHER, read_ordered, void*, false, at_shared_pointer)
WEFT_BOTH(WEFT_TOGETHER, write_ordered, const void*, true, at_shared_pointer)
WEFT_BOTH(WEFT_TOGETHER_AT, read_at_all, void*, false)
WEFT_BOTH(WEFT_TOGETHER_AT, write_at_all, const void*, true)

WEFT_BOTH(WEFT_BEGIN, read_all, void*, false, at_pointer)
WEFT_BOTH(WEFT_BEGIN, write_all, const void*, true, at_pointer)
WEFT_BOTH(WEFT_BEGIN, read_ordered, void*, false, at_shared_pointer)
WEFT_BOTH(WEFT_BEGIN, write_ordered, const void*, true, at_shared_pointer)
WEFT_BOTH(WEFT_BEGIN_AT, read_at_all, void*, false)
WEFT_BOTH(WEFT_BEGIN_AT, write_at_all, const void*, true)

WEFT_END(read_all, void*)
WEFT_END(write_all, const void*)
WEFT_END(read_ordered, void*)
WEFT_END(write_ordered, const void*)
WEFT_END(read_at_all, void*)
WEFT_END(write_at_all, const void*)

#undef WEFT_BOTH
#undef WEFT_END
#undef WEFT_BEGIN_AT
#undef WEFT_BEGIN
#undef WEFT_TOGETHER_AT
#undef WEFT_TOGETHER

}  // extern "C"
