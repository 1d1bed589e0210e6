// MPI_REGISTER_DATAREP: data representations with Fortran functions, which take everything by reference.
#include "convert.h"

typedef void Conversion(void* userbuf, MPI_Fint* datatype, MPI_Fint* count, void* filebuf, MPI_Offset* position,
                        MPI_Aint* extra, MPI_Fint* ierror);
typedef void Extent(MPI_Fint* datatype, MPI_Aint* extent, MPI_Aint* extra, MPI_Fint* ierror);

// C's extra_state points to this. It exists as long as the rank.
typedef struct {
  Conversion *read, *write;
  Extent* extent;
  MPI_Aint extra;
} Representation;

// Never called: its address means that there is no conversion.
WEFT_FORTRAN(void, conversion_fn_null,
             (void* userbuf, MPI_Fint* datatype, MPI_Fint* count, void* filebuf, MPI_Offset* position, MPI_Aint* extra,
              MPI_Fint* ierror)) {
  (void)userbuf, (void)datatype, (void)count, (void)filebuf, (void)position, (void)extra;
  *ierror = MPI_ERR_CONVERSION;
}

static int convert(Conversion* function, void* userbuf, MPI_Datatype datatype, int count, void* filebuf,
                   MPI_Offset position, Representation* own) {
  MPI_Fint type = WEFT_INTEGER(datatype), items = count, ierror = MPI_SUCCESS;
  function(userbuf, &type, &items, filebuf, &position, &own->extra, &ierror);
  return ierror;
}

static int read_file(void* userbuf, MPI_Datatype datatype, int count, void* filebuf, MPI_Offset position, void* state) {
  Representation* own = state;
  return convert(own->read, userbuf, datatype, count, filebuf, position, own);
}

static int write_file(void* userbuf, MPI_Datatype datatype, int count, void* filebuf, MPI_Offset position,
                      void* state) {
  Representation* own = state;
  return convert(own->write, userbuf, datatype, count, filebuf, position, own);
}

static int file_extent(MPI_Datatype datatype, MPI_Aint* extent, void* state) {
  Representation* own = state;
  MPI_Fint type = WEFT_INTEGER(datatype), ierror = MPI_SUCCESS;
  own->extent(&type, extent, &own->extra, &ierror);
  return ierror;
}

static int is_null(Conversion* function) {
  return function == mpi_conversion_fn_null_ || function == pmpi_conversion_fn_null_;
}

WEFT_FORTRAN(void, register_datarep,
             (char* datarep, Conversion* read_fn, Conversion* write_fn, Extent* extent_fn, MPI_Aint* extra_state,
              MPI_Fint* ierror, size_t datarep_length)) {
  Representation* own = malloc(sizeof *own);
  *own = (Representation){read_fn, write_fn, extent_fn, *extra_state};
  char* name = weft_string_in(datarep, datarep_length);
  const int error = MPI_Register_datarep(name, is_null(read_fn) ? MPI_CONVERSION_FN_NULL : read_file,
                                         is_null(write_fn) ? MPI_CONVERSION_FN_NULL : write_file, file_extent, own);
  if (error != MPI_SUCCESS) free(own);
  free(name);
  weft_report(ierror, error);
}
