#include "mpi_shim/table/narrow.hpp"

#include <limits>

#include "mpi_shim/entry.hpp"

namespace weft::mpi_shim {

int Narrow::scalar(const char* name, MPI_Count value) {
  if (value <= std::numeric_limits<int>::max() && value >= std::numeric_limits<int>::min()) {
    return static_cast<int>(value);
  }
  if (!failed()) {
    name_ = name;
    value_ = value;
  }
  return 0;
}

const int* Narrow::array(const char* name, const MPI_Count* values, int length) {
  if (values == nullptr) {
    return nullptr;
  }
  auto& narrow = arrays_.emplace_back();
  narrow.reserve(static_cast<std::size_t>(length) + 1);  // never an unallocated array, which would look like a null one
  for (int i = 0; i < length; ++i) {
    narrow.push_back(scalar(name, values[i]));
  }
  return narrow.data();
}

int Narrow::raise() const {
  const Entry entry(call_);
  return entry.raise(comm_, MPI_ERR_COUNT, "{} is {}; this version of Weft takes at most {} here", name_, value_,
                     std::numeric_limits<int>::max());
}

bool is_root(MPI_Comm comm, int root) {
  int inter = 0;
  int rank = MPI_PROC_NULL;
  if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS) {
    return false;
  }
  return inter != 0 ? root == MPI_ROOT : root == rank;
}

int peer_count(MPI_Comm comm) {
  int inter = 0;
  int size = 0;
  if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS) {
    return 0;
  }
  const int error = inter != 0 ? PMPI_Comm_remote_size(comm, &size) : PMPI_Comm_size(comm, &size);
  return error == MPI_SUCCESS ? size : 0;
}

int member_count(MPI_Comm comm) {
  int size = 0;
  return PMPI_Comm_size(comm, &size) == MPI_SUCCESS ? size : 0;
}

int neighbor_count(MPI_Comm comm, bool incoming) {
  int kind = MPI_UNDEFINED;
  int rank = MPI_PROC_NULL;
  int in = 0;
  int out = 0;
  int weighted = 0;
  if (PMPI_Topo_test(comm, &kind) != MPI_SUCCESS || PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS) {
    return 0;
  }
  if (kind == MPI_CART) {
    return PMPI_Cartdim_get(comm, &in) == MPI_SUCCESS ? 2 * in : 0;
  }
  if (kind == MPI_GRAPH) {
    return PMPI_Graph_neighbors_count(comm, rank, &in) == MPI_SUCCESS ? in : 0;
  }
  if (kind != MPI_DIST_GRAPH || PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted) != MPI_SUCCESS) {
    return 0;
  }
  return incoming ? in : out;
}

}  // namespace weft::mpi_shim
