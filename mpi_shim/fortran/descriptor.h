/* Arrays of Fortran programs as module mpi_f08 passes them: sections with gaps too. */
#pragma once

#include <ISO_Fortran_binding.h>

#include "convert.h"

/* What a call gets instead of an array. */
typedef struct {
  void* address;
  MPI_Count count;   /* of `type`; by weft_array_section only */
  MPI_Datatype type; /* to be freed after the call if it is `made` */
  int made;
  const CFI_cdesc_t* source; /* null unless `address` is a copy of it without gaps */
} weft_array;

/* For a call that has done with the array when it returns. */
void weft_array_in(weft_array* array, const CFI_cdesc_t* source);
/* After it: the copy, if there is one, goes back where the call may have `written`. */
void weft_array_out(weft_array* array, int written);

/* For one that goes on: `count` elements of `type`, put one behind the other, cover the section's elements in their
 * order. An MPI error code, raised, where no datatype can say so; weft_array_end after the call. */
int weft_array_section(weft_array* array, const CFI_cdesc_t* source, MPI_Count count, MPI_Datatype type,
                       const char* call);
void weft_array_end(weft_array* array);
/* For one that goes on and has no datatype for all of the array: a section with gaps is an error. */
int weft_array_whole(weft_array* array, const CFI_cdesc_t* source, const char* call);
