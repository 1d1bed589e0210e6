// Stands in for the C library under the Fortran bindings: a program's own MPI_ functions come before the library's.
// Each says what it was given through its return code or its results, which fortran_bindings.inc checks.
#define WEFT_NO_DEPRECATED
#include <mpi.h>
#include <string.h>

enum { kIgnored = 101, kGiven = 102, kBottom = 103, kInPlace = 104 };

int MPI_Recv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  (void)buf, (void)count, (void)type, (void)comm;
  if (status == MPI_STATUS_IGNORE) {
    return kIgnored;
  }
  status->MPI_SOURCE = source;
  status->MPI_TAG = tag;
  status->MPI_ERROR = 7;
  return kGiven;
}

int MPI_Send(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  (void)count, (void)dest, (void)tag;
  if (type != MPI_DOUBLE_PRECISION || comm != MPI_COMM_WORLD) {
    return MPI_ERR_OTHER;
  }
  return buf == MPI_BOTTOM ? kBottom : kGiven;
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  (void)count, (void)type, (void)op, (void)comm;
  *(int*)receive = 42;
  return send == MPI_IN_PLACE ? kInPlace : kGiven;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status* statuses) {
  for (int i = 0; i < count; ++i) {
    if (MPI_Request_c2f(requests[i]) != 5000 + i) {
      return MPI_ERR_REQUEST;
    }
    requests[i] = MPI_REQUEST_NULL;
    if (statuses != MPI_STATUSES_IGNORE) {
      statuses[i].MPI_SOURCE = 10 + i;
    }
  }
  return statuses == MPI_STATUSES_IGNORE ? kIgnored : kGiven;
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  (void)requests, (void)status;
  *index = count > 0 ? count - 1 : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int MPI_Waitsome(int count, MPI_Request requests[], int* outcount, int indices[], MPI_Status* statuses) {
  (void)requests, (void)statuses;
  *outcount = count > 0 ? 2 : MPI_UNDEFINED;
  if (count > 0) {
    indices[0] = 0;
    indices[1] = 3;
  }
  return MPI_SUCCESS;
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  (void)request, (void)status;
  *flag = 6;  // true in C, but not the compiler's .true.
  return MPI_SUCCESS;
}

int MPI_Cart_create(MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm* created) {
  (void)comm, (void)ndims, (void)dims;
  *created = MPI_Comm_f2c(periods[0] != 0 && periods[1] == 0 && reorder == 1 ? 777 : 0);
  return MPI_SUCCESS;
}

int MPI_Get_processor_name(char* name, int* length) {
  strcpy(name, "node7");
  *length = 5;
  return MPI_SUCCESS;
}

int MPI_Info_set(MPI_Info info, const char* key, const char* value) {
  (void)info;
  return strcmp(key, "key") == 0 && strcmp(value, "two words") == 0 ? MPI_SUCCESS : MPI_ERR_INFO_KEY;
}

int MPI_Alltoallw(const void* send, const int scounts[], const int sdispls[], const MPI_Datatype stypes[],
                  void* receive, const int rcounts[], const int rdispls[], const MPI_Datatype rtypes[], MPI_Comm comm) {
  (void)send, (void)scounts, (void)sdispls, (void)receive, (void)rcounts, (void)rdispls, (void)comm;
  return stypes[1] == MPI_INTEGER && rtypes[1] == MPI_REAL8 ? kGiven : MPI_ERR_TYPE;
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
  (void)comm;
  *size = 2;
  return MPI_SUCCESS;
}

int MPI_Comm_test_inter(MPI_Comm comm, int* flag) {
  (void)comm;
  *flag = 0;
  return MPI_SUCCESS;
}

// Calls the user's operation at once, as a reduction of one element would.
int MPI_Op_create(MPI_User_function* function, int commute, MPI_Op* op) {
  int in = 3, inout = 4, length = 1;
  MPI_Datatype type = MPI_INTEGER;
  function(&in, &inout, &length, &type);
  *op = MPI_Op_f2c(inout);
  return commute ? kGiven : MPI_ERR_OP;
}

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* handler) {
  MPI_Comm comm = MPI_COMM_SELF;
  int code = MPI_ERR_TAG;
  function(&comm, &code);
  *handler = MPI_Errhandler_f2c(900);
  return MPI_SUCCESS;
}

// Copies the attribute 11 and deletes 12 at once, as MPI_Comm_dup and MPI_Comm_free would; the copy is the key value.
int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove, int* keyval,
                           void* extra) {
  void* copied = NULL;
  int flag = 0;
  int error = copy(MPI_COMM_SELF, 1, extra, (void*)11, &copied, &flag);
  if (error == MPI_SUCCESS) {
    error = remove(MPI_COMM_SELF, 1, (void*)12, extra);
  }
  *keyval = flag ? (int)*(MPI_Aint*)copied : -1;
  return error;
}

// What Fortran sets, C gets the address of.
int MPI_Comm_set_attr(MPI_Comm comm, int keyval, void* value) {
  (void)comm, (void)keyval;
  return (int)*(MPI_Aint*)value;
}

int MPI_Comm_get_attr(MPI_Comm comm, int keyval, void* value, int* flag) {
  static int tag_ub = 32767;
  (void)comm;
  *flag = 1;
  *(void**)value = keyval == MPI_TAG_UB ? (void*)&tag_ub : (void*)123;
  return MPI_SUCCESS;
}

// Completes at once: asks for the status, cancels, releases.
int MPI_Grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* release,
                       MPI_Grequest_cancel_function* cancel, void* extra, MPI_Request* request) {
  MPI_Status status = {0};
  int error = query(extra, &status);
  if (error == MPI_SUCCESS) {
    error = cancel(extra, 5);
  }
  *request = MPI_Request_f2c(status.MPI_TAG);
  return error == MPI_SUCCESS ? release(extra) : error;
}
