#include "mpi_shim/topology/comm_topology.hpp"

#include <utility>

#include "mpi_shim/comm/assembly_by_messages.hpp"
#include "mpi_shim/comm/comm_failures.hpp"
#include "mpi_shim/comm/membership.hpp"
#include "mpi_shim/comm/process_comms.hpp"

namespace weft::mpi_shim {
inline namespace topology {

namespace {

Neighbours of_grid(const Topology& grid, int rank) {
  Neighbours found;
  std::vector<int> at = cart_coordinates(grid, rank);
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    for (const int step : {-1, 1}) {
      at[d] += step;
      const int neighbour = cart_rank(grid, at);
      at[d] -= step;
      found.sources.push_back(neighbour);
      found.destinations.push_back(neighbour);
    }
  }
  return found;
}

}  // namespace

Neighbours neighbours(const Communicator& comm) {
  const Topology& topology = *comm.shared->topology;
  if (topology.kind == MPI_CART) {
    return of_grid(topology, comm.rank);
  }
  if (topology.kind == MPI_DIST_GRAPH) {
    return {comm.neighbourhood->sources, comm.neighbourhood->destinations};
  }
  const auto found = graph_neighbours(topology, comm.rank);
  return {{found.begin(), found.end()}, {found.begin(), found.end()}};
}

std::shared_ptr<const Topology> topology_of(const Communicator& comm, int kind) {
  const auto& topology = comm.shared->topology;
  return topology != nullptr && topology->kind == kind ? topology : nullptr;
}

MPI_Comm make_with_topology(RankState& me, Communicator& parent, int part, std::shared_ptr<const Group> group,
                            std::shared_ptr<const Topology> topology) {
  require_no_failure(parent);
  const int size = group->size();
  const std::uint32_t sequence = parent.children++;
  if (group->rank_of(me.job_rank) == MPI_UNDEFINED) {
    return MPI_COMM_NULL;
  }
  runtime::Job& job = me.rank->job;
  if (job.spans_processes()) {
    const std::uint32_t context = agree_on_context(me, parent.collective_context(), *group, kCommCreationTag + 2);
    return add_comm(me, make_comm_by_number(job, {.context = context, .group = group, .topology = topology}), parent)
        .handle;
  }
  const NewComm created = parent.shared->lease->take(sequence, part, size, [&] {
    return NewComm{
        {make_comm(job, fresh_context(job), {.group = std::move(group), .topology = std::move(topology)}), nullptr}};
  });
  return add_comm(me, created.side[0], parent).handle;
}

std::shared_ptr<const Group> first_members(const std::shared_ptr<const Group>& group, int count) {
  if (count == group->size()) {
    return group;
  }
  std::vector<int> ranks(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    ranks[static_cast<std::size_t>(i)] = group->job_rank(i);
  }
  return Group::list(std::move(ranks));
}

}  // namespace topology
}  // namespace weft::mpi_shim
