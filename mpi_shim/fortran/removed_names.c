// MPI-1's names in Fortran: where their successors take an address-sized integer, these take an INTEGER.
#define WEFT_NO_DEPRECATED
#include "convert.h"

WEFT_FORTRAN(void, address, (void* location, MPI_Fint* address, MPI_Fint* ierror)) {
  MPI_Aint wide = 0;
  *ierror = MPI_Get_address(weft_buffer(location), &wide);
  *address =
      (MPI_Fint)wide;  // relative to MPI_BOTTOM it would not fit: only differences of close addresses mean anything
}

WEFT_FORTRAN(void, type_extent, (MPI_Fint * datatype, MPI_Fint* extent, MPI_Fint* ierror)) {
  MPI_Aint lower = 0, wide = 0;
  *ierror = MPI_Type_get_extent(WEFT_HANDLE(MPI_Datatype, *datatype), &lower, &wide);
  *extent = (MPI_Fint)wide;
}

WEFT_FORTRAN(void, type_lb, (MPI_Fint * datatype, MPI_Fint* displacement, MPI_Fint* ierror)) {
  MPI_Aint lower = 0, extent = 0;
  *ierror = MPI_Type_get_extent(WEFT_HANDLE(MPI_Datatype, *datatype), &lower, &extent);
  *displacement = (MPI_Fint)lower;
}

WEFT_FORTRAN(void, type_ub, (MPI_Fint * datatype, MPI_Fint* displacement, MPI_Fint* ierror)) {
  MPI_Aint lower = 0, extent = 0;
  *ierror = MPI_Type_get_extent(WEFT_HANDLE(MPI_Datatype, *datatype), &lower, &extent);
  *displacement = (MPI_Fint)(lower + extent);
}

WEFT_FORTRAN(void, type_hvector,
             (MPI_Fint * count, MPI_Fint* blocklength, MPI_Fint* stride, MPI_Fint* oldtype, MPI_Fint* newtype,
              MPI_Fint* ierror)) {
  MPI_Datatype created = MPI_DATATYPE_NULL;
  *ierror = MPI_Type_create_hvector(*count, *blocklength, *stride, WEFT_HANDLE(MPI_Datatype, *oldtype), &created);
  *newtype = WEFT_INTEGER(created);
}

static MPI_Aint* widened(const MPI_Fint* displacements, int count) {
  MPI_Aint* wide = malloc((size_t)(count > 0 ? count : 1) * sizeof *wide);
  for (int i = 0; i < count; ++i) wide[i] = displacements[i];
  return wide;
}

WEFT_FORTRAN(void, type_hindexed,
             (MPI_Fint * count, MPI_Fint* blocklengths, MPI_Fint* displacements, MPI_Fint* oldtype, MPI_Fint* newtype,
              MPI_Fint* ierror)) {
  MPI_Datatype created = MPI_DATATYPE_NULL;
  MPI_Aint* wide = widened(displacements, *count);
  *ierror = MPI_Type_create_hindexed(*count, blocklengths, wide, WEFT_HANDLE(MPI_Datatype, *oldtype), &created);
  *newtype = WEFT_INTEGER(created);
  free(wide);
}

WEFT_FORTRAN(void, type_struct,
             (MPI_Fint * count, MPI_Fint* blocklengths, MPI_Fint* displacements, MPI_Fint* types, MPI_Fint* newtype,
              MPI_Fint* ierror)) {
  MPI_Datatype created = MPI_DATATYPE_NULL;
  MPI_Aint* wide = widened(displacements, *count);
  weft_handles handles;
  weft_handles_in(&handles, types, *count);
  *ierror = MPI_Type_create_struct(*count, blocklengths, wide, (MPI_Datatype*)handles.values, &created);
  *newtype = WEFT_INTEGER(created);
  weft_handles_free(&handles);
  free(wide);
}
