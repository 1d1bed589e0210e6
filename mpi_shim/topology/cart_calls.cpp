// MPI_Cart_create, MPI_Cart_shift and the other calls on Cartesian topologies.
#include <algorithm>

#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/topology/comm_topology.hpp"

namespace {

using namespace weft::mpi_shim;

// MPI_SUCCESS when the grid fits into the communicator, else the raised error.
int check_grid(const Entry& entry, const Communicator& parent, int ndims, const int* dims, const int* periods) {
  const MPI_Comm comm = parent.handle;
  if (ndims < 0 || (ndims > 0 && (dims == nullptr || periods == nullptr))) {
    return entry.raise(comm, MPI_ERR_DIMS, "ndims is {}, or dims or periods is a null pointer", ndims);
  }
  std::int64_t nodes = 1;
  for (int d = 0; d < ndims; ++d) {
    if (dims[d] <= 0) {
      return entry.raise(comm, MPI_ERR_DIMS, "dims[{}] is {}: expected at least 1", d, dims[d]);
    }
    nodes *= dims[d];
    if (nodes > parent.size()) {
      return entry.raise(comm, MPI_ERR_DIMS, "the grid has more nodes than the communicator has ranks ({})",
                         parent.size());
    }
  }
  return MPI_SUCCESS;
}

Topology grid_of(int ndims, const int* dims, const int* periods) {
  Topology grid;
  grid.kind = MPI_CART;
  for (int d = 0; d < ndims; ++d) {
    grid.dims.push_back(dims[d]);
    grid.periods.push_back(static_cast<int>(periods[d] != 0));
  }
  return grid;
}

int nodes_of(const Topology& grid) {
  int nodes = 1;
  for (const int extent : grid.dims) {
    nodes *= extent;
  }
  return nodes;
}

// A communicator that must have a grid.
struct Grid {
  Grid(const Entry& entry, const Communicator& comm) : topology(topology_of(comm, MPI_CART)) {
    if (topology == nullptr) {
      error = entry.raise(comm.handle, MPI_ERR_TOPOLOGY, "comm has no Cartesian topology");
    }
  }
  bool usable() const { return topology != nullptr; }
  int ndims() const { return static_cast<int>(topology->dims.size()); }

  const std::shared_ptr<const Topology> topology;
  int error = MPI_SUCCESS;
};

int bad_maxdims(const Entry& entry, const Communicator& comm, int maxdims, int ndims) {
  return entry.raise(comm.handle, MPI_ERR_ARG, "maxdims is {}, the grid has {} dimensions", maxdims, ndims);
}

int cart_create(const Entry& entry, Communicator& parent, int ndims, const int dims[], const int periods[],
                int /*reorder*/, MPI_Comm* comm_cart) {
  *comm_cart = MPI_COMM_NULL;
  if (parent.is_inter()) {
    return entry.raise(parent.handle, MPI_ERR_COMM, "comm_old is an intercommunicator");
  }
  if (const int error = check_grid(entry, parent, ndims, dims, periods); error != MPI_SUCCESS) {
    return error;
  }
  auto grid = std::make_shared<Topology>(grid_of(ndims, dims, periods));
  auto group = first_members(parent.shared->group, nodes_of(*grid));
  *comm_cart = make_with_topology(entry.me, parent, 0, std::move(group), std::move(grid));
  return MPI_SUCCESS;
}

int cart_map(const Entry& entry, Communicator& comm, int ndims, const int dims[], const int periods[], int* newrank) {
  if (const int error = check_grid(entry, comm, ndims, dims, periods); error != MPI_SUCCESS) {
    return error;
  }
  *newrank = comm.rank < nodes_of(grid_of(ndims, dims, periods)) ? comm.rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int cartdim_get(const Entry& entry, Communicator& comm, int* ndims) {
  const Grid grid(entry, comm);
  if (!grid.usable()) {
    return grid.error;
  }
  *ndims = grid.ndims();
  return MPI_SUCCESS;
}

int cart_get(const Entry& entry, Communicator& comm, int maxdims, int dims[], int periods[], int coords[]) {
  const Grid grid(entry, comm);
  if (!grid.usable()) {
    return grid.error;
  }
  if (maxdims < grid.ndims()) {
    return bad_maxdims(entry, comm, maxdims, grid.ndims());
  }
  if (grid.ndims() > 0 && (dims == nullptr || periods == nullptr || coords == nullptr)) {
    return entry.null_argument(comm.handle, "dims, periods or coords");
  }
  std::copy(grid.topology->dims.begin(), grid.topology->dims.end(), dims);
  std::copy(grid.topology->periods.begin(), grid.topology->periods.end(), periods);
  const std::vector<int> mine = cart_coordinates(*grid.topology, comm.rank);
  std::copy(mine.begin(), mine.end(), coords);
  return MPI_SUCCESS;
}

int cart_coords(const Entry& entry, Communicator& comm, int rank, int maxdims, int coords[]) {
  const Grid grid(entry, comm);
  if (!grid.usable()) {
    return grid.error;
  }
  if (rank < 0 || rank >= comm.size()) {
    return entry.raise(comm.handle, MPI_ERR_RANK, "rank {} is not in the grid (0..{})", rank, comm.size() - 1);
  }
  if (maxdims < grid.ndims()) {
    return bad_maxdims(entry, comm, maxdims, grid.ndims());
  }
  if (grid.ndims() > 0 && coords == nullptr) {
    return entry.null_argument(comm.handle, "coords");
  }
  const std::vector<int> found = cart_coordinates(*grid.topology, rank);
  std::copy(found.begin(), found.end(), coords);
  return MPI_SUCCESS;
}

int cart_rank(const Entry& entry, Communicator& comm, const int coords[], int* rank) {
  const Grid grid(entry, comm);
  if (!grid.usable()) {
    return grid.error;
  }
  if (grid.ndims() > 0 && coords == nullptr) {
    return entry.null_argument(comm.handle, "coords");
  }
  const int found = cart_rank(*grid.topology, std::vector<int>(coords, coords + grid.ndims()));
  if (found == MPI_PROC_NULL) {
    return entry.raise(comm.handle, MPI_ERR_ARG, "the coordinates are outside a dimension that is not periodic");
  }
  *rank = found;
  return MPI_SUCCESS;
}

int cart_shift(const Entry& entry, Communicator& comm, int direction, int disp, int* rank_source, int* rank_dest) {
  const Grid grid(entry, comm);
  if (!grid.usable()) {
    return grid.error;
  }
  if (direction < 0 || direction >= grid.ndims()) {
    return entry.raise(comm.handle, MPI_ERR_DIMS, "direction is {}, the grid has {} dimensions", direction,
                       grid.ndims());
  }
  const auto along = static_cast<std::size_t>(direction);
  const int extent = grid.topology->dims[along];
  // A displacement that leads to the same ranks, and to which a coordinate can be added without an overflow.
  const int step = grid.topology->periods[along] != 0 ? disp % extent : std::clamp(disp, -extent, extent);
  std::vector<int> at = cart_coordinates(*grid.topology, comm.rank);
  const int here = at[along];
  at[along] = here - step;
  *rank_source = cart_rank(*grid.topology, at);
  at[along] = here + step;
  *rank_dest = cart_rank(*grid.topology, at);
  return MPI_SUCCESS;
}

int cart_sub(const Entry& entry, Communicator& comm, const int remain_dims[], MPI_Comm* newcomm) {
  const Grid grid(entry, comm);
  if (!grid.usable()) {
    return grid.error;
  }
  if (grid.ndims() > 0 && remain_dims == nullptr) {
    return entry.null_argument(comm.handle, "remain_dims");
  }
  auto sub = std::make_shared<Topology>();
  sub->kind = MPI_CART;
  const Topology& whole = *grid.topology;
  std::vector<int> at = cart_coordinates(whole, comm.rank);
  for (std::size_t d = 0; d < whole.dims.size(); ++d) {
    if (remain_dims[d] != 0) {
      sub->dims.push_back(whole.dims[d]);
      sub->periods.push_back(whole.periods[d]);
      at[d] = 0;
    }
  }
  const int origin = cart_rank(whole, at);  // identifies this subgrid
  std::vector<int> ranks;
  for (int node = 0; node < nodes_of(*sub); ++node) {
    const std::vector<int> inner = cart_coordinates(*sub, node);
    auto next = inner.begin();
    for (std::size_t d = 0; d < whole.dims.size(); ++d) {
      at[d] = remain_dims[d] != 0 ? *next++ : at[d];
    }
    ranks.push_back(comm.shared->group->job_rank(cart_rank(whole, at)));
  }
  *newcomm = make_with_topology(entry.me, comm, origin, Group::list(std::move(ranks)), std::move(sub));
  return MPI_SUCCESS;
}

}  // namespace

#include "mpi_shim/generated/topology/cart_calls.inc"
