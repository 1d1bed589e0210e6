/* Conversions between gfortran's arguments and C's. Handles are the same small integers on both sides; a callback that
 * gets the address of a handle may read it as an INTEGER because the low half comes first (checked below). */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "mpi.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "callbacks read a handle's low half as an INTEGER");

/* Defines pmpi_name_ and lets mpi_name_ be replaced by a program's or a tool's own. */
#define WEFT_FORTRAN(result, name, parameters)                                     \
  result pmpi_##name##_ parameters;                                                \
  result mpi_##name##_ parameters __attribute__((weak, alias("pmpi_" #name "_"))); \
  result pmpi_##name##_ parameters

#define WEFT_HANDLE(type, integer) ((type)(intptr_t)(integer))
#define WEFT_INTEGER(handle) ((MPI_Fint)(intptr_t)(handle))

/* The COMMON blocks of mpif.h and of module mpi. Only their addresses mean something, and those are the program's: the
 * library is loaded after it and reaches them through its global offset table. */
extern MPI_Fint weft_mpi_bottom_, weft_mpi_in_place_, weft_mpi_buffer_automatic_, weft_mpi_unweighted_;
extern MPI_Fint weft_mpi_weights_empty_, weft_mpi_errcodes_ignore_;
extern MPI_Fint weft_mpi_status_ignore_[MPI_F_STATUS_SIZE], weft_mpi_statuses_ignore_[MPI_F_STATUS_SIZE];
extern char weft_mpi_argv_null_, weft_mpi_argvs_null_;

/* Module mpi_f08 lets a caller leave ierror out. */
static inline void weft_report(MPI_Fint* ierror, int error) {
  if (ierror != NULL) *ierror = error;
}

static inline void* weft_buffer(void* buffer) {
  if (buffer == &weft_mpi_bottom_) return MPI_BOTTOM;
  if (buffer == &weft_mpi_in_place_) return MPI_IN_PLACE;
  if (buffer == &weft_mpi_buffer_automatic_) return MPI_BUFFER_AUTOMATIC;
  return buffer;
}

static inline MPI_Status* weft_status(MPI_Fint* status) {
  return status == weft_mpi_status_ignore_ ? MPI_STATUS_IGNORE : (MPI_Status*)status;
}

static inline MPI_Status* weft_statuses(MPI_Fint* statuses) {
  return statuses == weft_mpi_statuses_ignore_ ? MPI_STATUSES_IGNORE : (MPI_Status*)statuses;
}

static inline int* weft_weights(MPI_Fint* weights) {
  if (weights == &weft_mpi_unweighted_) return MPI_UNWEIGHTED;
  return weights == &weft_mpi_weights_empty_ ? MPI_WEIGHTS_EMPTY : weights;
}

static inline int* weft_errcodes(MPI_Fint* codes) {
  return codes == &weft_mpi_errcodes_ignore_ ? MPI_ERRCODES_IGNORE : codes;
}

/* An array of handles in C's width; `values` points into `few` while they fit. */
typedef struct {
  void** values;
  int count;
  void* few[16];
} weft_handles;

void weft_handles_in(weft_handles* handles, const MPI_Fint* integers, int count);
void weft_handles_out(const weft_handles* handles, MPI_Fint* integers);
void weft_handles_free(weft_handles* handles);

/* How many ranks an all-to-all of `comm` addresses; 0 when the handle is not valid, which the call itself reports. */
int weft_peers(MPI_Comm comm);
/* How many neighbours `comm` receives from (incoming) or sends to; 0 without a topology. */
int weft_neighbors(MPI_Comm comm, int incoming);

/* A C string without the blanks around the Fortran one; the caller frees it. */
char* weft_string_in(const char* text, size_t length);
/* Room for any string that MPI returns and for at least `length` characters; weft_string_out frees it. */
char* weft_string_buffer(size_t length);
/* Copies the C string to the Fortran one, cut or filled with blanks, and frees it. */
void weft_string_out(char* from, char* text, size_t length);
