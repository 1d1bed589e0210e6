// Fortran bindings that are not generated: their arguments differ from C's by more than a conversion.
#define WEFT_NO_DEPRECATED
#include <string.h>

#include "convert.h"

WEFT_FORTRAN(void, init, (MPI_Fint * ierror)) { weft_report(ierror, MPI_Init(NULL, NULL)); }

WEFT_FORTRAN(void, init_thread, (MPI_Fint * required, MPI_Fint* provided, MPI_Fint* ierror)) {
  weft_report(ierror, MPI_Init_thread(NULL, NULL, *required, provided));
}

WEFT_FORTRAN(void, pcontrol, (MPI_Fint * level)) { (void)MPI_Pcontrol(*level); }

// Does nothing. The compiler has to assume that the call changes the buffer, and reads it anew.
WEFT_FORTRAN(void, f_sync_reg, (void* buffer)) { (void)buffer; }
WEFT_FORTRAN(void, f_sync_reg_f08ts, (void* descriptor)) { (void)descriptor; }

WEFT_FORTRAN(void, info_create_env, (MPI_Fint * info, MPI_Fint* ierror)) {
  MPI_Info created = MPI_INFO_NULL;
  weft_report(ierror, MPI_Info_create_env(0, NULL, &created));
  *info = WEFT_INTEGER(created);
}

// C returns the buffer's address. In mpif.h and module mpi `buffer` cannot receive an address: it stays as it is.
WEFT_FORTRAN(void, buffer_detach, (void* buffer, MPI_Fint* size, MPI_Fint* ierror)) {
  (void)buffer;
  void* address = NULL;
  weft_report(ierror, MPI_Buffer_detach(&address, size));
}

WEFT_FORTRAN(void, comm_detach_buffer, (MPI_Fint * comm, void* buffer, MPI_Fint* size, MPI_Fint* ierror)) {
  (void)buffer;
  void* address = NULL;
  weft_report(ierror, MPI_Comm_detach_buffer(WEFT_HANDLE(MPI_Comm, *comm), &address, size));
}

WEFT_FORTRAN(void, session_detach_buffer, (MPI_Fint * session, void* buffer, MPI_Fint* size, MPI_Fint* ierror)) {
  (void)buffer;
  void* address = NULL;
  weft_report(ierror, MPI_Session_detach_buffer(WEFT_HANDLE(MPI_Session, *session), &address, size));
}

// In C the length counts the terminating null, which Fortran does not have.
WEFT_FORTRAN(void, info_get_string,
             (MPI_Fint * info, char* key, MPI_Fint* buflen, char* value, MPI_Fint* flag, MPI_Fint* ierror,
              size_t key_length, size_t value_length)) {
  char* c_key = weft_string_in(key, key_length);
  const MPI_Fint asked = *buflen < (MPI_Fint)value_length ? *buflen : (MPI_Fint)value_length;
  char* c_value = weft_string_buffer(value_length);
  int length = asked > 0 ? asked + 1 : 0;
  weft_report(ierror, MPI_Info_get_string(WEFT_HANDLE(MPI_Info, *info), c_key, &length, c_value, flag));
  *flag = *flag != 0;
  if (*flag) *buflen = length - 1;
  if (*flag && asked > 0) {
    weft_string_out(c_value, value, value_length);
  } else {
    free(c_value);
  }
  free(c_key);
}

WEFT_FORTRAN(void, session_get_nth_pset,
             (MPI_Fint * session, MPI_Fint* info, MPI_Fint* n, MPI_Fint* pset_len, char* name, MPI_Fint* ierror,
              size_t name_length)) {
  char* c_name = weft_string_buffer(name_length);
  const MPI_Fint asked = *pset_len < (MPI_Fint)name_length ? *pset_len : (MPI_Fint)name_length;
  int length = asked > 0 ? asked + 1 : 0;
  weft_report(ierror, MPI_Session_get_nth_pset(WEFT_HANDLE(MPI_Session, *session), WEFT_HANDLE(MPI_Info, *info), *n,
                                               &length, c_name));
  *pset_len = length > 0 ? length - 1 : 0;
  weft_string_out(c_name, name, asked > 0 ? name_length : 0);
}

// The callbacks of a generalized request that Fortran created; they take everything by reference. C's extra_state
// points to this.
typedef struct {
  void (*query)(MPI_Aint* extra, MPI_Fint* status, MPI_Fint* ierror);
  void (*release)(MPI_Aint* extra, MPI_Fint* ierror);
  void (*cancel)(MPI_Aint* extra, MPI_Fint* complete, MPI_Fint* ierror);
  MPI_Aint* extra;  // the program's variable, which callbacks may change
} GeneralizedRequest;

static int query_request(void* state, MPI_Status* status) {
  GeneralizedRequest* request = state;
  MPI_Fint ierror = MPI_SUCCESS;
  request->query(request->extra, (MPI_Fint*)status, &ierror);
  return ierror;
}

static int release_request(void* state) {
  GeneralizedRequest* request = state;
  MPI_Fint ierror = MPI_SUCCESS;
  request->release(request->extra, &ierror);
  free(request);
  return ierror;
}

static int cancel_request(void* state, int complete) {
  GeneralizedRequest* request = state;
  MPI_Fint flag = complete != 0, ierror = MPI_SUCCESS;
  request->cancel(request->extra, &flag, &ierror);
  return ierror;
}

WEFT_FORTRAN(void, grequest_start,
             (void (*query)(MPI_Aint*, MPI_Fint*, MPI_Fint*), void (*release)(MPI_Aint*, MPI_Fint*),
              void (*cancel)(MPI_Aint*, MPI_Fint*, MPI_Fint*), MPI_Aint* extra_state, MPI_Fint* request,
              MPI_Fint* ierror)) {
  GeneralizedRequest* made = malloc(sizeof *made);
  *made = (GeneralizedRequest){query, release, cancel, extra_state};
  MPI_Request handle = MPI_REQUEST_NULL;
  weft_report(ierror, MPI_Grequest_start(query_request, release_request, cancel_request, made, &handle));
  *request = WEFT_INTEGER(handle);
}
