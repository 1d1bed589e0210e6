/* Arrays of Fortran programs as module mpi_f08 passes them: sections with gaps too. */
#pragma once

#include <ISO_Fortran_binding.h>

#include "convert.h"

/* The arguments that a call gets instead of an array. */
typedef struct {
  void* address;
  MPI_Count count;   /* of `type`; by weft_array_section only */
  MPI_Datatype type; /* to be freed after the call if it is `made` */
  int made;
  const CFI_cdesc_t* source; /* null unless `address` is a copy of it without gaps */
} weft_array;

/* For a call that does not use the array after it has returned: copies a section with gaps. */
void weft_array_in(weft_array* array, const CFI_cdesc_t* source);
/* After that call: copies the data back if the call may have `written`, and frees the copy. */
void weft_array_out(weft_array* array, int written);

/* For a call whose operation continues after it has returned: sets count and type so that they describe the first
 * elements of the section, as `count` contiguous elements of `type`. An MPI error code, already raised, if no datatype
 * can describe them. weft_array_end() follows the call. */
int weft_array_section(weft_array* array, const CFI_cdesc_t* source, MPI_Count count, MPI_Datatype type,
                       const char* call);
void weft_array_end(weft_array* array);
/* For such a call without a datatype for the whole array: a section with gaps is an error. */
int weft_array_whole(weft_array* array, const CFI_cdesc_t* source, const char* call);
