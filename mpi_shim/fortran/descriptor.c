#include "descriptor.h"

#include <stdio.h>
#include <string.h>

int weft_mpi_unsupported(const char* function);

static int is_empty(const CFI_cdesc_t* source) {
  for (int d = 0; d < source->rank; ++d) {
    if (source->dim[d].extent == 0) return 1;
  }
  return 0;
}

static int is_contiguous(const CFI_cdesc_t* source) {
  if (is_empty(source)) return 1;
  size_t bytes = source->elem_len;
  for (int d = 0; d < source->rank; ++d) {
    /* The last extent of an assumed-size array is -1. */
    if (source->dim[d].extent > 1 && source->dim[d].sm != (CFI_index_t)bytes) return 0;
    bytes *= (size_t)source->dim[d].extent;
  }
  return 1;
}

static size_t element_count(const CFI_cdesc_t* source) {
  size_t count = 1;
  for (int d = 0; d < source->rank; ++d) count *= (size_t)source->dim[d].extent;
  return count;
}

/* Copies all elements from the section to `packed` or, if not `pack`, back. Returns the end of the packed elements. */
static char* copy_elements(const CFI_cdesc_t* source, int dimensions, char* section, char* packed, int pack) {
  if (dimensions == 0) {
    memcpy(pack ? packed : section, pack ? section : packed, source->elem_len);
    return packed + source->elem_len;
  }
  const CFI_dim_t* dim = &source->dim[dimensions - 1];
  for (CFI_index_t i = 0; i < dim->extent; ++i) {
    packed = copy_elements(source, dimensions - 1, section + i * dim->sm, packed, pack);
  }
  return packed;
}

void weft_array_in(weft_array* array, const CFI_cdesc_t* source) {
  *array = (weft_array){.address = weft_buffer(source->base_addr)};
  if (is_contiguous(source)) return;
  array->source = source;
  array->address = malloc(element_count(source) * source->elem_len + 1);
  copy_elements(source, source->rank, source->base_addr, array->address, 1);
}

void weft_array_out(weft_array* array, int written) {
  const CFI_cdesc_t* source = array->source;
  if (source == NULL) return;
  if (written) copy_elements(source, source->rank, source->base_addr, array->address, 0);
  free(array->address);
}

static int refuse(const char* call, const char* what) {
  static char text[128]; /* the rank's own; MPI keeps the pointer as the name of the rank's last call */
  snprintf(text, sizeof text, "%s %s", call, what);
  return weft_mpi_unsupported(text);
}

int weft_array_whole(weft_array* array, const CFI_cdesc_t* source, const char* call) {
  *array = (weft_array){.address = weft_buffer(source->base_addr)};
  return is_contiguous(source) ? MPI_SUCCESS : refuse(call, "of an array section with gaps");
}

/* A datatype for the first `count` elements of the section's first `dimensions` dimensions; `element` is for one. */
static MPI_Datatype first_elements(const CFI_cdesc_t* source, int dimensions, MPI_Count count, MPI_Datatype element) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  if (dimensions == 0) {
    MPI_Type_dup(element, &made);
    return made;
  }
  MPI_Count below = 1; /* elements of one step in the last dimension */
  for (int d = 0; d < dimensions - 1; ++d) below *= source->dim[d].extent;
  const CFI_index_t stride = source->dim[dimensions - 1].sm;
  const MPI_Count steps = count / below, rest = count % below;
  MPI_Datatype step = first_elements(source, dimensions - 1, below, element);
  MPI_Type_create_hvector_c(steps, 1, stride, step, &made);
  MPI_Type_free(&step);
  if (rest == 0) return made;
  MPI_Datatype parts[] = {made, first_elements(source, dimensions - 1, rest, element)};
  const MPI_Count ones[] = {1, 1}, places[] = {0, steps * stride};
  MPI_Datatype both = MPI_DATATYPE_NULL;
  MPI_Type_create_struct_c(2, ones, places, parts, &both);
  MPI_Type_free(&parts[0]);
  MPI_Type_free(&parts[1]);
  return both;
}

int weft_array_section(weft_array* array, const CFI_cdesc_t* source, MPI_Count count, MPI_Datatype type,
                       const char* call) {
  *array = (weft_array){.address = weft_buffer(source->base_addr), .count = count, .type = type};
  if (count == 0 || is_contiguous(source)) return MPI_SUCCESS;
  MPI_Count size = 0, lower = 0, extent = 0;
  const int error = MPI_Type_size_c(type, &size);
  if (error != MPI_SUCCESS) return error;
  MPI_Type_get_extent_c(type, &lower, &extent);
  /* How many of `type` an element of the array is. */
  const MPI_Count element = (MPI_Count)source->elem_len,
                  parts = extent == element ? 1 : element / (size > 0 ? size : 1);
  const int fits = extent == element || (lower == 0 && extent == size && parts * size == element);
  if (!fits || parts == 0)
    return refuse(call, "of an array section with gaps and a datatype that is not its elements'");
  if (count < 0 || count % parts != 0 || count / parts > (MPI_Count)element_count(source)) {
    return refuse(call, "of an array section with gaps and a count that is not one of its elements");
  }
  MPI_Datatype one = MPI_DATATYPE_NULL;
  MPI_Type_contiguous_c(parts, type, &one);
  array->type = first_elements(source, source->rank, count / parts, one);
  MPI_Type_free(&one);
  array->count = 1;
  array->made = 1;
  return MPI_Type_commit(&array->type);
}

void weft_array_end(weft_array* array) {
  if (array->made) MPI_Type_free(&array->type);
}
