// AMPI's functions and the pup functions for Fortran. Fortran passes p by reference, so the address that arrives here
// is the pup_er itself.
#include <ISO_Fortran_binding.h>
#include <string.h>

#include "convert.h"

void ampi_migrate_(MPI_Fint* hints, MPI_Fint* ierror) { *ierror = AMPI_Migrate(WEFT_HANDLE(MPI_Info, *hints)); }
void ampi_migrate_to_pe_(MPI_Fint* dest, MPI_Fint* ierror) { *ierror = AMPI_Migrate_to_pe(*dest); }
void ampi_set_migratable_(MPI_Fint* mig, MPI_Fint* ierror) { *ierror = AMPI_Set_migratable(*mig); }
void ampi_load_start_measure_(MPI_Fint* ierror) { *ierror = AMPI_Load_start_measure(); }
void ampi_load_stop_measure_(MPI_Fint* ierror) { *ierror = AMPI_Load_stop_measure(); }
void ampi_load_reset_measure_(MPI_Fint* ierror) { *ierror = AMPI_Load_reset_measure(); }
void ampi_load_set_value_(double* value, MPI_Fint* ierror) { *ierror = AMPI_Load_set_value(*value); }
void ampi_evacuate_(MPI_Fint* ierror) { *ierror = AMPI_Evacuate(); }
void ampi_yield_(MPI_Fint* ierror) { *ierror = AMPI_Yield(); }
void ampi_trace_begin_(MPI_Fint* ierror) { *ierror = AMPI_Trace_begin(); }
void ampi_trace_end_(MPI_Fint* ierror) { *ierror = AMPI_Trace_end(); }

void ampi_register_pup_(MPI_PupFn function, void* data, MPI_Fint* index, MPI_Fint* ierror) {
  *ierror = AMPI_Register_pup(function, data, index);
}
void mpi_register_pup_(MPI_PupFn function, void* data, MPI_Fint* index, MPI_Fint* ierror) {
  *ierror = AMPI_Register_pup(function, data, index);
}
void ampi_register_about_to_migrate_(MPI_MigrateFn function, MPI_Fint* ierror) {
  *ierror = AMPI_Register_about_to_migrate(function);
}
void ampi_register_just_migrated_(MPI_MigrateFn function, MPI_Fint* ierror) {
  *ierror = AMPI_Register_just_migrated(function);
}

void ampi_type_is_contiguous_(MPI_Fint* datatype, MPI_Fint* flag, MPI_Fint* ierror) {
  *ierror = AMPI_Type_is_contiguous(WEFT_HANDLE(MPI_Datatype, *datatype), flag);
}

void ampi_print_(char* text, MPI_Fint* ierror, size_t length) {
  char* c_text = weft_string_in(text, length);
  *ierror = AMPI_Print(c_text);
  free(c_text);
}

// These return LOGICALs.
MPI_Fint fpup_issizing_(pup_er p) { return pup_isSizing(p); }
MPI_Fint fpup_ispacking_(pup_er p) { return pup_isPacking(p); }
MPI_Fint fpup_isunpacking_(pup_er p) { return pup_isUnpacking(p); }
MPI_Fint fpup_isdeleting_(pup_er p) { return pup_isDeleting(p); }
MPI_Fint fpup_isuserlevel_(pup_er p) { return pup_isUserlevel(p); }

// fpup_<one>(p, value) and fpup_<many>(p, values, count).
#define WEFT_FPUP(one, many, bytes)                                 \
  void fpup_##one##_(pup_er p, void* v) { pup_bytes(p, v, bytes); } \
  void fpup_##many##_(pup_er p, void* v, MPI_Fint* count) { pup_bytes(p, v, (size_t)*count*(bytes)); }

WEFT_FPUP(char, chars, 1)
WEFT_FPUP(short, shorts, 2)
WEFT_FPUP(int, ints, 4)
WEFT_FPUP(long, longs, 8)
WEFT_FPUP(real, reals, 4)
WEFT_FPUP(double, doubles, 8)
WEFT_FPUP(logical, logicals, 4)
WEFT_FPUP(complex, complexes, 8)
WEFT_FPUP(doublecomplex, doublecomplexes, 16)

static void pup_dimension(pup_er p, const CFI_cdesc_t* object, char* from, int dimension) {
  if (dimension < 0) {
    pup_bytes(p, from, object->elem_len);
    return;
  }
  const CFI_dim_t* along = &object->dim[dimension];
  if (dimension == 0 && along->sm == (CFI_index_t)object->elem_len) {
    pup_bytes(p, from, (size_t)along->extent * object->elem_len);
    return;
  }
  for (CFI_index_t i = 0; i < along->extent; ++i) {
    pup_dimension(p, object, from + i * along->sm, dimension - 1);
  }
}

// Generic pup() of module pupmod: a scalar or an array of any rank.
void weft_pup_object(pup_er p, CFI_cdesc_t* object) { pup_dimension(p, object, object->base_addr, object->rank - 1); }
