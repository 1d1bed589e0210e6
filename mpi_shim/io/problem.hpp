// Errors of files: each belongs to the error handler of its file, by default MPI_ERRORS_RETURN.
#pragma once

#include <string>

#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/io/file.hpp"

namespace weft::mpi_shim::io {

// What is wrong with a call, or nothing. Members of a collective call show it to the others before they raise it.
struct Problem {
  int error_class = MPI_SUCCESS;
  std::string text;

  explicit operator bool() const { return error_class != MPI_SUCCESS; }
};

template <typename... Arguments>
Problem problem(int error_class, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  return {error_class, fmt::format(text, std::forward<Arguments>(arguments)...)};
}
// Of a call of the system; none for errno 0.
Problem system_problem(int error, const std::string& path);

// Calls the file's error handler, or MPI_FILE_NULL's where `file` is null. The error class, or what a handler of the
// program made of it.
int raise(const Entry& entry, const File* file, const Problem& problem);

// The rank's file, or null after the error was raised into `error`.
File* checked_file(const Entry& entry, MPI_File handle, int& error);

// Collective, suspends: a problem of any member becomes one of all, so that none goes on alone. MPI_SUCCESS, or what
// was raised: a member's own problem first, else that of another.
int raise_together(const Entry& entry, const File* file, const Communicator& comm, const Problem& own);
// What the members must pass alike.
struct Compared {
  const char* name;
  std::int64_t value;
};
// The same, and the members' values must be equal.
int raise_unless_same(const Entry& entry, const File* file, const Communicator& comm, const Problem& own,
                      const Compared& compared);

// A null pointer that the call should have set.
int raise_null(const Entry& entry, const File* file, const char* name);

}  // namespace weft::mpi_shim::io
