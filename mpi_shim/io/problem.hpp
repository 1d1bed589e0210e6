// Errors of file calls. They go to the error handler of the file, by default MPI_ERRORS_RETURN.
#pragma once

#include <string>

#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/io/file.hpp"

namespace weft::mpi_shim::io {

// An error of a call that is not raised yet, or none. Members of a collective call exchange it before they raise it.
struct Problem {
  int error_class = MPI_SUCCESS;
  std::string text;

  explicit operator bool() const { return error_class != MPI_SUCCESS; }
};

template <typename... Arguments>
Problem problem(int error_class, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  return {error_class, fmt::format(text, std::forward<Arguments>(arguments)...)};
}
// The problem for an errno of a system call; none for 0.
Problem system_problem(int error, const std::string& path);

// Calls the file's error handler, or that of MPI_FILE_NULL if `file` is null. Returns the error class, or the code that
// a handler of the program has stored in its place.
int raise(const Entry& entry, const File* file, const Problem& problem);

// The rank's file, or null after an error was raised and stored in `error`.
File* checked_file(const Entry& entry, MPI_File handle, int& error);

// Collective; suspends the rank. If any member has a problem, all raise an error, so that no member continues alone.
// MPI_SUCCESS or the raised error: that of the member's own problem, else that of another member.
int raise_collectively(const Entry& entry, const File* file, const Communicator& comm, const Problem& own);
// An argument that must be equal on all members.
struct Compared {
  const char* name;
  std::int64_t value;
};
// The same; also raises an error if the members' values differ.
int raise_unless_same(const Entry& entry, const File* file, const Communicator& comm, const Problem& own,
                      const Compared& compared);

// Raises the error of a null pointer argument.
int raise_null(const Entry& entry, const File* file, const char* name);

}  // namespace weft::mpi_shim::io
