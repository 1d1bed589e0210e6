// MPI_Neighbor_allgather(v), MPI_Neighbor_alltoall(v, w): a message to and from each neighbour.
#include "mpi_shim/collective/sides.hpp"
#include "mpi_shim/request.hpp"
#include "mpi_shim/topology.hpp"

namespace weft::mpi_shim {
namespace {

using runtime::Request;

struct Call {
  Shape send_shape;
  Side send;
  bool one_for_all;  // block 0 goes to every neighbour
  Shape receive_shape;
  Side receive;
  MPI_Comm comm;
};

// In a grid a neighbour may be the same rank on both sides, or the rank itself; so messages say which way they go: what
// is sent down in a dimension arrives from above. In graphs messages between two ranks keep their order.
constexpr std::int32_t kFirstTag = 1 << 29;
std::int32_t tag_of_receive(const Topology& topology, std::size_t i) {
  return topology.kind == MPI_CART ? kFirstTag + static_cast<std::int32_t>(i) : kFirstTag;
}
std::int32_t tag_of_send(const Topology& topology, std::size_t i) {
  return topology.kind == MPI_CART ? kFirstTag + static_cast<std::int32_t>(i ^ 1) : kFirstTag;
}

int exchange(const Entry& entry, const Communicator& comm, const Neighbours& with, const Call& call,
             const Blocks& blocks, const Blocks& places) {
  const Topology& topology = *comm.shared->topology;
  std::vector<Request> receives(with.sources.size());
  std::vector<Request> sends(with.destinations.size());
  for (std::size_t i = 0; i < receives.size(); ++i) {
    if (with.sources[i] != MPI_PROC_NULL) {
      runtime::start_receive(*entry.me.rank, {comm.collective_context(), with.sources[i], tag_of_receive(topology, i)},
                             places[i], receives[i]);
    }
  }
  for (std::size_t i = 0; i < sends.size(); ++i) {
    const int to = with.destinations[i];
    if (to != MPI_PROC_NULL) {
      const auto world_rank = static_cast<std::uint32_t>(comm.shared->group->world_rank(to));
      runtime::start_send(*entry.me.rank, entry.me.rank->job.rank(world_rank),
                          {comm.collective_context(), comm.rank, tag_of_send(topology, i)}, to,
                          blocks[call.one_for_all ? 0 : i], runtime::SendMode::standard, sends[i]);
    }
  }
  for (Request& request : receives) {
    wait_message(entry.me, request);
  }
  for (Request& request : sends) {
    wait_message(entry.me, request);
  }
  for (std::size_t i = 0; i < receives.size(); ++i) {
    if (receives[i].truncated) {
      return raise_too_long(entry, call.comm, with.sources[i], receives[i].sent, places[i].bytes);
    }
  }
  return MPI_SUCCESS;
}

int neighbour_exchange(const Entry& entry, const Call& call) {
  int error = MPI_SUCCESS;
  const Communicator* const comm = checked_intra(entry, call.comm, error);
  if (comm == nullptr) {
    return error;
  }
  if (comm->shared->topology == nullptr) {
    return entry.raise(call.comm, MPI_ERR_TOPOLOGY, "the communicator has no topology");
  }
  if (call.send.part.address == MPI_IN_PLACE) {
    return entry.raise(call.comm, MPI_ERR_BUFFER, "MPI_IN_PLACE has no meaning in a neighbourhood call");
  }
  const Neighbours with = neighbours(*comm);
  Blocks blocks;
  Blocks places;
  Types send_types;
  Types receive_types;
  if ((error = check_side(entry, *comm, static_cast<int>(with.destinations.size()), call.send_shape, call.send, blocks,
                          send_types)) != MPI_SUCCESS ||
      (error = check_side(entry, *comm, static_cast<int>(with.sources.size()), call.receive_shape, call.receive, places,
                          receive_types)) != MPI_SUCCESS) {
    return error;
  }
  return exchange(entry, *comm, with, call, blocks, places);
}

template <typename Count>
int allgather(const char* name, const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
              Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  const Entry entry(name);
  return neighbour_exchange(entry, {Shape::same,
                                    {{"sendbuf", sendbuf, sendcount, sendtype}, {}, {}},
                                    true,
                                    Shape::same,
                                    {{"recvbuf", recvbuf, recvcount, recvtype}, {}, {}},
                                    comm});
}

template <typename Count, typename Displacement>
int allgatherv(const char* name, const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
               const Count* recvcounts, const Displacement* displs, MPI_Datatype recvtype, MPI_Comm comm) {
  const Entry entry(name);
  return neighbour_exchange(entry, {Shape::same,
                                    {{"sendbuf", sendbuf, sendcount, sendtype}, {}, {}},
                                    true,
                                    Shape::counts,
                                    {{"recvbuf", recvbuf, 0, recvtype}, Numbers(recvcounts), Numbers(displs)},
                                    comm});
}

template <typename Count>
int alltoall(const char* name, const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
             Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  const Entry entry(name);
  return neighbour_exchange(entry, {Shape::same,
                                    {{"sendbuf", sendbuf, sendcount, sendtype}, {}, {}},
                                    false,
                                    Shape::same,
                                    {{"recvbuf", recvbuf, recvcount, recvtype}, {}, {}},
                                    comm});
}

template <typename Count, typename Displacement>
int alltoallv(const char* name, const void* sendbuf, const Count* sendcounts, const Displacement* sdispls,
              MPI_Datatype sendtype, void* recvbuf, const Count* recvcounts, const Displacement* rdispls,
              MPI_Datatype recvtype, MPI_Comm comm) {
  const Entry entry(name);
  return neighbour_exchange(entry, {Shape::counts,
                                    {{"sendbuf", sendbuf, 0, sendtype}, Numbers(sendcounts), Numbers(sdispls)},
                                    false,
                                    Shape::counts,
                                    {{"recvbuf", recvbuf, 0, recvtype}, Numbers(recvcounts), Numbers(rdispls)},
                                    comm});
}

template <typename Count>
int alltoallw(const char* name, const void* sendbuf, const Count* sendcounts, const MPI_Aint* sdispls,
              const MPI_Datatype* sendtypes, void* recvbuf, const Count* recvcounts, const MPI_Aint* rdispls,
              const MPI_Datatype* recvtypes, MPI_Comm comm) {
  const Entry entry(name);
  return neighbour_exchange(
      entry, {Shape::types,
              {{"sendbuf", sendbuf, 0, MPI_DATATYPE_NULL}, Numbers(sendcounts), Numbers(sdispls), sendtypes},
              false,
              Shape::types,
              {{"recvbuf", recvbuf, 0, MPI_DATATYPE_NULL}, Numbers(recvcounts), Numbers(rdispls), recvtypes},
              comm});
}

}  // namespace
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

extern "C" {

int PMPI_Neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                            MPI_Datatype recvtype, MPI_Comm comm) {
  return allgather("MPI_Neighbor_allgather", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int PMPI_Neighbor_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                              MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return allgather("MPI_Neighbor_allgather_c", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int PMPI_Neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                             const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  return allgatherv("MPI_Neighbor_allgatherv", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                    comm);
}

int PMPI_Neighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                               const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                               MPI_Comm comm) {
  return allgatherv("MPI_Neighbor_allgatherv_c", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                    comm);
}

int PMPI_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                           MPI_Datatype recvtype, MPI_Comm comm) {
  return alltoall("MPI_Neighbor_alltoall", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int PMPI_Neighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                             MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return alltoall("MPI_Neighbor_alltoall_c", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int PMPI_Neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                            void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                            MPI_Comm comm) {
  return alltoallv("MPI_Neighbor_alltoallv", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                   recvtype, comm);
}

int PMPI_Neighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                              MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                              const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return alltoallv("MPI_Neighbor_alltoallv_c", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                   recvtype, comm);
}

int PMPI_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                            const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return alltoallw("MPI_Neighbor_alltoallw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                   recvtypes, comm);
}

int PMPI_Neighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                              const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                              const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return alltoallw("MPI_Neighbor_alltoallw_c", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                   recvtypes, comm);
}

}  // extern "C"
