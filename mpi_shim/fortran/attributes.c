// Attributes and key values from Fortran: an attribute is an address-sized integer (an INTEGER under MPI-1's names),
// and the callbacks are subroutines that take everything by reference.
#define WEFT_NO_DEPRECATED
#include "convert.h"
#include "mpi-ext.h"

typedef void CopyRoutine(MPI_Fint* object, MPI_Fint* keyval, MPI_Aint* extra, MPI_Aint* in, MPI_Aint* out,
                         MPI_Fint* flag, MPI_Fint* ierror);
typedef void DeleteRoutine(MPI_Fint* object, MPI_Fint* keyval, MPI_Aint* value, MPI_Aint* extra, MPI_Fint* ierror);

// C's extra_state of a key value that Fortran created points to this. It is never freed, since attributes may outlive
// the key value.
typedef struct Routines {
  CopyRoutine* copy;
  DeleteRoutine* remove;
  MPI_Aint extra;
  int narrow;  // made by MPI_KEYVAL_CREATE: values are INTEGERs
  struct Routines* next;
} Routines;

// An attribute that was set in Fortran. MPI stores the cell's address, and C code reads the value there.
typedef struct Cell {
  MPI_Aint value;
  struct Cell* next;
} Cell;
static Cell* cells;

static void* new_cell(MPI_Aint value) {
  Cell* cell = malloc(sizeof *cell);
  *cell = (Cell){value, cells};
  cells = cell;
  return cell;
}

// The link that points to the attribute's cell; it holds null if C code set the attribute.
static Cell** cell_at(const void* attribute) {
  Cell** link = &cells;
  while (*link != NULL && *link != attribute) link = &(*link)->next;
  return link;
}

static MPI_Aint stored(void* attribute) {
  const Cell* cell = *cell_at(attribute);
  return cell == NULL ? (MPI_Aint)attribute : cell->value;
}

static void free_cell(const void* attribute) {
  Cell** link = cell_at(attribute);
  Cell* cell = *link;
  if (cell == NULL) return;
  *link = cell->next;
  free(cell);
}

static int run_copy(MPI_Fint object, int keyval, void* state, void* in, void* out, int* flag) {
  Routines* routines = state;
  MPI_Aint value = stored(in), copied = 0;
  MPI_Fint narrow_in = (MPI_Fint)value, narrow_out = 0, wanted = 0, ierror = MPI_SUCCESS;
  MPI_Aint* from = routines->narrow ? (MPI_Aint*)&narrow_in : &value;
  MPI_Aint* to = routines->narrow ? (MPI_Aint*)&narrow_out : &copied;
  routines->copy(&object, &keyval, &routines->extra, from, to, &wanted, &ierror);
  *flag = wanted != 0;
  if (*flag) *(void**)out = new_cell(routines->narrow ? narrow_out : copied);
  return ierror;
}

static int run_delete(MPI_Fint object, int keyval, void* value, void* state) {
  Routines* routines = state;
  MPI_Aint wide = stored(value);  // its low half comes first, so an INTEGER reads it as well
  MPI_Fint ierror = MPI_SUCCESS;
  routines->remove(&object, &keyval, &wide, &routines->extra, &ierror);
  if (ierror == MPI_SUCCESS) free_cell(value);  // copies have cells of their own
  return ierror;
}

static Routines* routines_of(CopyRoutine* copy, DeleteRoutine* remove, MPI_Aint extra, int narrow) {
  Routines* routines = malloc(sizeof *routines);
  static Routines* all;
  *routines = (Routines){copy, remove, extra, narrow, all};
  all = routines;
  return routines;
}

#define WEFT_KEYVALS(prefix, name, handle)                                                                             \
  static int copy_##prefix(handle object, int keyval, void* state, void* in, void* out, int* flag) {                   \
    return run_copy(WEFT_INTEGER(object), keyval, state, in, out, flag);                                               \
  }                                                                                                                    \
  static int delete_##prefix(handle object, int keyval, void* value, void* state) {                                    \
    return run_delete(WEFT_INTEGER(object), keyval, value, state);                                                     \
  }                                                                                                                    \
  WEFT_FORTRAN(void, prefix##_create_keyval,                                                                           \
               (CopyRoutine * copy, DeleteRoutine * remove, MPI_Fint * keyval, MPI_Aint * extra, MPI_Fint * ierror)) { \
    weft_report(ierror, MPI_##name##_create_keyval(copy_##prefix, delete_##prefix, keyval,                             \
                                                   routines_of(copy, remove, *extra, 0)));                             \
  }

WEFT_KEYVALS(comm, Comm, MPI_Comm)
WEFT_KEYVALS(type, Type, MPI_Datatype)
WEFT_KEYVALS(win, Win, MPI_Win)

WEFT_FORTRAN(void, keyval_create,
             (CopyRoutine * copy, DeleteRoutine* remove, MPI_Fint* keyval, MPI_Fint* extra, MPI_Fint* ierror)) {
  weft_report(ierror, MPI_Comm_create_keyval(copy_comm, delete_comm, keyval, routines_of(copy, remove, *extra, 1)));
}

// C returns the address of a predefined attribute's int, Fortran the int itself.
static MPI_Aint comm_value(int keyval, void* value) {
  const int predefined = (keyval >= MPI_TAG_UB && keyval <= MPI_UNIVERSE_SIZE) ||
                         (keyval >= AMPI_MY_WTH && keyval <= AMPI_MY_HOME_WTH) || keyval == MPIX_FT;
  return predefined ? *(int*)value : stored(value);
}

static MPI_Aint win_value(int keyval, void* value) {
  if (keyval == MPI_WIN_SIZE) return *(MPI_Aint*)value;
  const int integer = keyval == MPI_WIN_DISP_UNIT || keyval == MPI_WIN_CREATE_FLAVOR || keyval == MPI_WIN_MODEL;
  return integer ? *(int*)value : stored(value);
}

WEFT_FORTRAN(void, comm_get_attr,
             (MPI_Fint * comm, MPI_Fint* keyval, MPI_Aint* attribute, MPI_Fint* flag, MPI_Fint* ierror)) {
  void* value = NULL;
  const int error = MPI_Comm_get_attr(WEFT_HANDLE(MPI_Comm, *comm), *keyval, &value, flag);
  *flag = error == MPI_SUCCESS && *flag != 0;
  if (*flag) *attribute = comm_value(*keyval, value);
  weft_report(ierror, error);
}

WEFT_FORTRAN(void, attr_get,
             (MPI_Fint * comm, MPI_Fint* keyval, MPI_Fint* attribute, MPI_Fint* flag, MPI_Fint* ierror)) {
  void* value = NULL;
  const int error = MPI_Comm_get_attr(WEFT_HANDLE(MPI_Comm, *comm), *keyval, &value, flag);
  *flag = error == MPI_SUCCESS && *flag != 0;
  if (*flag) *attribute = (MPI_Fint)comm_value(*keyval, value);
  weft_report(ierror, error);
}

WEFT_FORTRAN(void, attr_put, (MPI_Fint * comm, MPI_Fint* keyval, MPI_Fint* attribute, MPI_Fint* ierror)) {
  weft_report(ierror, MPI_Comm_set_attr(WEFT_HANDLE(MPI_Comm, *comm), *keyval, new_cell(*attribute)));
}

#define WEFT_SET_ATTRIBUTE(prefix, name, handle)                                                             \
  WEFT_FORTRAN(void, prefix##_set_attr,                                                                      \
               (MPI_Fint * object, MPI_Fint * keyval, MPI_Aint * attribute, MPI_Fint * ierror)) {            \
    weft_report(ierror, MPI_##name##_set_attr(WEFT_HANDLE(handle, *object), *keyval, new_cell(*attribute))); \
  }

WEFT_SET_ATTRIBUTE(comm, Comm, MPI_Comm)
WEFT_SET_ATTRIBUTE(type, Type, MPI_Datatype)
WEFT_SET_ATTRIBUTE(win, Win, MPI_Win)

WEFT_FORTRAN(void, type_get_attr,
             (MPI_Fint * datatype, MPI_Fint* keyval, MPI_Aint* attribute, MPI_Fint* flag, MPI_Fint* ierror)) {
  void* value = NULL;
  const int error = MPI_Type_get_attr(WEFT_HANDLE(MPI_Datatype, *datatype), *keyval, &value, flag);
  *flag = error == MPI_SUCCESS && *flag != 0;
  if (*flag) *attribute = stored(value);
  weft_report(ierror, error);
}

WEFT_FORTRAN(void, win_get_attr,
             (MPI_Fint * win, MPI_Fint* keyval, MPI_Aint* attribute, MPI_Fint* flag, MPI_Fint* ierror)) {
  void* value = NULL;
  const int error = MPI_Win_get_attr(WEFT_HANDLE(MPI_Win, *win), *keyval, &value, flag);
  *flag = error == MPI_SUCCESS && *flag != 0;
  if (*flag) *attribute = win_value(*keyval, value);
  weft_report(ierror, error);
}

#define WEFT_PREDEFINED_ROUTINES(prefix, Value)                                                                   \
  WEFT_FORTRAN(void, prefix##null_copy_fn,                                                                        \
               (MPI_Fint * object, MPI_Fint * keyval, MPI_Aint * extra, Value * in, Value * out, MPI_Fint * flag, \
                MPI_Fint * ierror)) {                                                                             \
    (void)object, (void)keyval, (void)extra, (void)in, (void)out;                                                 \
    *flag = 0;                                                                                                    \
    *ierror = MPI_SUCCESS;                                                                                        \
  }                                                                                                               \
  WEFT_FORTRAN(void, prefix##dup_fn,                                                                              \
               (MPI_Fint * object, MPI_Fint * keyval, MPI_Aint * extra, Value * in, Value * out, MPI_Fint * flag, \
                MPI_Fint * ierror)) {                                                                             \
    (void)object, (void)keyval, (void)extra;                                                                      \
    *out = *in;                                                                                                   \
    *flag = 1;                                                                                                    \
    *ierror = MPI_SUCCESS;                                                                                        \
  }                                                                                                               \
  WEFT_FORTRAN(void, prefix##null_delete_fn,                                                                      \
               (MPI_Fint * object, MPI_Fint * keyval, Value * value, MPI_Aint * extra, MPI_Fint * ierror)) {      \
    (void)object, (void)keyval, (void)value, (void)extra;                                                         \
    *ierror = MPI_SUCCESS;                                                                                        \
  }

WEFT_PREDEFINED_ROUTINES(comm_, MPI_Aint)
WEFT_PREDEFINED_ROUTINES(type_, MPI_Aint)
WEFT_PREDEFINED_ROUTINES(win_, MPI_Aint)
WEFT_PREDEFINED_ROUTINES(, MPI_Fint)
