// Conversions that are more than a cast, and definitions of the COMMON blocks for programs that do not declare them.
#include "convert.h"

#include <string.h>

#define WEFT_COMMON __attribute__((common, visibility("default")))
WEFT_COMMON MPI_Fint weft_mpi_bottom_, weft_mpi_in_place_, weft_mpi_buffer_automatic_, weft_mpi_unweighted_;
WEFT_COMMON MPI_Fint weft_mpi_weights_empty_, weft_mpi_errcodes_ignore_;
WEFT_COMMON MPI_Fint weft_mpi_status_ignore_[MPI_F_STATUS_SIZE], weft_mpi_statuses_ignore_[MPI_F_STATUS_SIZE];
WEFT_COMMON char weft_mpi_argv_null_, weft_mpi_argvs_null_;

void weft_handles_in(weft_handles* handles, const MPI_Fint* integers, int count) {
  handles->count = count > 0 ? count : 0;
  handles->values = handles->few;
  if ((size_t)handles->count > sizeof handles->few / sizeof *handles->few) {
    handles->values = malloc((size_t)handles->count * sizeof *handles->values);
  }
  for (int i = 0; i < handles->count; ++i) handles->values[i] = (void*)(intptr_t)integers[i];
}

void weft_handles_out(const weft_handles* handles, MPI_Fint* integers) {
  for (int i = 0; i < handles->count; ++i) integers[i] = WEFT_INTEGER(handles->values[i]);
}

void weft_handles_free(weft_handles* handles) {
  if (handles->values != handles->few) free(handles->values);
}

int weft_peers(MPI_Comm comm) {
  int inter = 0, size = 0;
  if (MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS) return 0;
  const int error = inter ? MPI_Comm_remote_size(comm, &size) : MPI_Comm_size(comm, &size);
  return error == MPI_SUCCESS ? size : 0;
}

int weft_neighbors(MPI_Comm comm, int incoming) {
  int kind = MPI_UNDEFINED, in = 0, out = 0, rank = 0;
  if (MPI_Topo_test(comm, &kind) != MPI_SUCCESS || MPI_Comm_rank(comm, &rank) != MPI_SUCCESS) return 0;
  if (kind == MPI_CART && MPI_Cartdim_get(comm, &in) == MPI_SUCCESS) return 2 * in;
  if (kind == MPI_GRAPH && MPI_Graph_neighbors_count(comm, rank, &in) == MPI_SUCCESS) return in;
  if (kind != MPI_DIST_GRAPH || MPI_Dist_graph_neighbors_count(comm, &in, &out, &rank) != MPI_SUCCESS) return 0;
  return incoming ? in : out;
}

char* weft_string_in(const char* text, size_t length) {
  while (length > 0 && text[length - 1] == ' ') --length;
  for (; length > 0 && *text == ' '; --length) ++text;
  char* copy = malloc(length + 1);
  memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

char* weft_string_buffer(size_t length) { return calloc(1, MPI_MAX_LIBRARY_VERSION_STRING + length + 1); }

void weft_string_out(char* from, char* text, size_t length) {
  const size_t whole = strlen(from), given = whole < length ? whole : length;
  memcpy(text, from, given);
  memset(text + given, ' ', length - given);
  free(from);
}
