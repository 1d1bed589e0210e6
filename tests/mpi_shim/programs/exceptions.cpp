// Exceptions that leave callback functions arrive in the program, as with MPICH, and MPI goes on after them. Each check
// is made twice, so that what the first one has left behind would show. Also error handlers that call MPI_Migrate.
#include <mpi.h>
#include <weft.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

int rank = 0;
int size = 0;
bool callbacks_throw = true;
int thrower = 0;  // at this rank the operation throws

void expect(bool holds, const char* what, const std::string& where) {
  if (!holds) {
    std::printf("FAILED: rank %d: %s: %s\n", rank, where.c_str(), what);
    std::exit(1);
  }
}

void throws(const char* what, const std::function<void()>& call) {
  std::string heard = "nothing";
  try {
    call();
  } catch (const std::runtime_error& error) {
    heard = error.what();
  }
  expect(heard == what, ("caught " + heard).c_str(), what);
  expect(std::uncaught_exceptions() == 0 && std::current_exception() == nullptr, "an exception is still there", what);
}

void raise_if_asked(const char* what) {
  if (callbacks_throw) {
    throw std::runtime_error(what);
  }
}

void handler(MPI_Comm*, int*, ...) { throw std::runtime_error("handler"); }
void file_handler(MPI_File*, int*, ...) { throw std::runtime_error("file handler"); }

void add(void* in, void* inout, int* count, MPI_Datatype*) {
  if (callbacks_throw && rank == thrower) {
    throw std::runtime_error("operation");
  }
  for (int i = 0; i < *count; ++i) {
    static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
  }
}

int copy(MPI_Comm, int, void*, void* in, void* out, int* flag) {
  raise_if_asked("copy");
  *static_cast<void**>(out) = in;
  *flag = 1;
  return MPI_SUCCESS;
}
int copy_of_type(MPI_Datatype, int, void*, void*, void*, int* flag) {
  raise_if_asked("copy of type");
  *flag = 0;
  return MPI_SUCCESS;
}
int remove(MPI_Comm, int, void*, void*) {
  raise_if_asked("delete");
  return MPI_SUCCESS;
}
int remove_of_type(MPI_Datatype, int, void*, void*) { return MPI_SUCCESS; }

int query(void* which, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_INT, 0);
  MPI_Status_set_cancelled(status, 0);
  if (which != nullptr && *static_cast<char*>(which) == 'q') {
    raise_if_asked("query");
  }
  return MPI_SUCCESS;
}
int free_state(void* which) {
  if (which != nullptr && *static_cast<char*>(which) == 'f') {
    raise_if_asked("free");
  }
  return MPI_SUCCESS;
}
int cancel(void*, int) {
  raise_if_asked("cancel");
  return MPI_SUCCESS;
}

// A communicator of this rank alone, with this error handler.
MPI_Comm comm_with_handler(MPI_Comm_errhandler_function* function) {
  MPI_Comm comm;
  MPI_Errhandler made;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_create_errhandler(function, &made);
  MPI_Comm_set_errhandler(comm, made);
  MPI_Errhandler_free(&made);
  return comm;
}

void error_handlers() {
  MPI_Comm comm = comm_with_handler(handler);
  int value = 0;
  for (int i = 0; i < 2; ++i) {
    throws("handler", [&] { MPI_Send(&value, 1, MPI_INT, 7, 0, comm); });
    throws("handler", [&] { MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER); });
  }
  MPI_Comm_free(&comm);
  MPI_Errhandler made;
  MPI_File_create_errhandler(file_handler, &made);
  MPI_File_set_errhandler(MPI_FILE_NULL, made);
  MPI_File file;
  throws("file handler", [&] { MPI_File_open(MPI_COMM_SELF, "/nowhere/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file); });
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&made);
}

// The failed call's frames, which have memory of the process, are on the stack while the handler steps.
void migrating_handler(MPI_Comm*, int*, ...) {
  int before = -1, after = -1, *process = &before, found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, AMPI_MY_PROCESS, &process, &found);
  before = *process;
  MPI_Migrate();
  MPI_Comm_get_attr(MPI_COMM_WORLD, AMPI_MY_PROCESS, &process, &found);
  after = *process;
  expect(before == after, "its handler's rank has left the process", "migrate");
}

void handlers_that_migrate() {
  MPI_Comm comm = comm_with_handler(migrating_handler);
  int value = 0;
  for (int i = 0; i < 2; ++i) {
    expect(MPI_Send(&value, 1, MPI_INT, 7, 0, comm) == MPI_ERR_RANK, "no error of the rank", "migrate");
    MPI_Migrate();
  }
  MPI_Comm_free(&comm);
}

void attributes() {
  MPI_Comm comm, twin;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int key = 0, value = 0;
  MPI_Comm_create_keyval(copy, remove, &key, nullptr);
  MPI_Comm_set_attr(comm, key, &value);
  for (int i = 0; i < 2; ++i) {
    throws("copy", [&] { MPI_Comm_dup(comm, &twin); });
    throws("delete", [&] { MPI_Comm_delete_attr(comm, key); });
    throws("delete", [&] { MPI_Comm_set_attr(comm, key, &rank); });
    throws("delete", [&] { MPI_Comm_free(&comm); });
  }
  callbacks_throw = false;
  MPI_Comm_dup(comm, &twin);
  int* found = nullptr;
  int flag = 0;
  MPI_Comm_get_attr(twin, key, &found, &flag);
  expect(flag == 1 && found == &value, "the attribute is not there", "a copy after exceptions");
  MPI_Comm_free(&twin);
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&key);
  callbacks_throw = true;
  MPI_Datatype type;
  MPI_Type_create_keyval(copy_of_type, remove_of_type, &key, nullptr);
  MPI_Type_dup(MPI_INT, &type);
  MPI_Type_set_attr(type, key, nullptr);
  MPI_Datatype other;
  throws("copy of type", [&] { MPI_Type_dup(type, &other); });
  MPI_Type_free(&type);
  MPI_Type_free_keyval(&key);
}

void generalized_requests() {
  char q = 'q', f = 'f', none = ' ';
  for (int i = 0; i < 2; ++i) {
    MPI_Request request;
    MPI_Grequest_start(query, free_state, cancel, &q, &request);
    MPI_Grequest_complete(request);
    throws("query", [&] { MPI_Wait(&request, MPI_STATUS_IGNORE); });
    MPI_Grequest_start(query, free_state, cancel, &f, &request);
    MPI_Grequest_complete(request);
    throws("free", [&] { MPI_Waitall(1, &request, MPI_STATUSES_IGNORE); });
    MPI_Grequest_start(query, free_state, cancel, &f, &request);
    MPI_Request abandoned = request;
    MPI_Request_free(&abandoned);
    throws("free", [&] { MPI_Grequest_complete(request); });
    MPI_Grequest_start(query, free_state, cancel, &none, &request);
    throws("cancel", [&] { MPI_Cancel(&request); });
    MPI_Grequest_complete(request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(request == MPI_REQUEST_NULL, "the request is still there", "a request after an exception");
  }
}

// One exception, at `thrower`; every other rank hears of an error or has the right result.
void operation(const char* where, const std::vector<int>& result, int sum, const std::function<int()>& call) {
  std::string heard;
  int error = MPI_SUCCESS;
  try {
    error = call();
  } catch (const std::runtime_error& thrown) {
    heard = thrown.what();
  }
  const bool is_right = heard.empty() && error == MPI_SUCCESS && result.front() == sum && result.back() == sum;
  const bool is_told = rank == thrower ? heard == "operation" : heard.empty() && error == MPI_ERR_OTHER;
  expect(callbacks_throw ? is_right || is_told : is_right, "neither an error nor the right result", where);
}

void operations(int elements) {
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const std::vector<int> mine(static_cast<std::size_t>(elements), rank + 1);
  std::vector<int> result(mine.size());
  const int sum = size * (size + 1) / 2;
  for (thrower = 0; thrower < size; ++thrower) {
    for (const bool throwing : {true, false}) {
      callbacks_throw = throwing;
      if (throwing && rank == thrower) {
        throws("operation", [&] { MPI_Reduce_local(mine.data(), result.data(), elements, MPI_INT, op); });
      }
      operation("allreduce", result, sum,
                [&] { return MPI_Allreduce(mine.data(), result.data(), elements, MPI_INT, op, comm); });
      operation("iallreduce", result, sum, [&] {
        MPI_Request request;
        MPI_Iallreduce(mine.data(), result.data(), elements, MPI_INT, op, comm, &request);
        MPI_Barrier(comm);
        return MPI_Wait(&request, MPI_STATUS_IGNORE);
      });
      MPI_Migrate();
    }
  }
  callbacks_throw = true;
  MPI_Comm_free(&comm);
  MPI_Op_free(&op);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  error_handlers();
  handlers_that_migrate();
  attributes();
  generalized_requests();
  operations(3);
  operations(50000);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    std::puts("exceptions: ok");
  }
  MPI_Finalize();
  return 0;
}
