// What the generated large-count forms stand on: they call the int form, and say so when a count does not fit.
#pragma once

#include <deque>
#include <type_traits>
#include <vector>

#include "mpi.h"

namespace weft::mpi_shim {

static_assert(std::is_same_v<MPI_Aint, MPI_Count>, "address-sized arguments pass through unchanged");

// The arguments of one call of a large-count form, as ints. Lives as long as the call of the int form.
class Narrow {
 public:
  // `call` is the name for messages, `comm` the communicator whose error handler a failure goes to.
  Narrow(const char* call, MPI_Comm comm) : call_(call), comm_(comm) {}

  // The value as an int; 0 and failed() when it does not fit.
  int scalar(const char* name, MPI_Count value);
  // The first `length` values as ints, valid as long as this object; null for a null array.
  const int* array(const char* name, const MPI_Count* values, int length);

  bool failed() const { return name_ != nullptr; }
  // Raises MPI_ERR_COUNT, naming the first argument that did not fit and its value.
  int raise() const;

 private:
  const char* call_;
  MPI_Comm comm_;
  const char* name_ = nullptr;
  MPI_Count value_ = 0;
  std::deque<std::vector<int>> arrays_;
};

// Whether the root's arguments of a rooted collective count at the calling rank.
bool is_root(MPI_Comm comm, int root);
// How many ranks an all-to-all of `comm` addresses, how many share a reduce-scatter, and how many neighbours send to
// the calling rank (incoming) or receive from it. 0 for an invalid handle, which the int form reports.
int peer_count(MPI_Comm comm);
int member_count(MPI_Comm comm);
int neighbor_count(MPI_Comm comm, bool incoming);

}  // namespace weft::mpi_shim
