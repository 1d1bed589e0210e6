// MPI_Alltoall, MPI_Alltoallv, MPI_Alltoallw: every member copies its blocks straight out of the others' buffers.
#include <optional>

#include "mpi_shim/collective/agreement.hpp"
#include "mpi_shim/collective/other_group.hpp"
#include "mpi_shim/collective/sides.hpp"
#include "mpi_shim/collective/spread/spread.hpp"
#include "mpi_shim/migrate_at.hpp"

namespace weft::mpi_shim {
namespace {

using runtime::Buffer;
using runtime::Team;

struct Call {
  Collective kind;
  Side send;
  Side receive;
  MPI_Comm comm;

  Shape shape() const {
    return kind == Collective::alltoall ? Shape::same : kind == Collective::alltoallv ? Shape::counts : Shape::types;
  }
};

// In place: what the member sends, packed aside before anything arrives where it lay.
class PackedBlocks {
 public:
  PackedBlocks(const Blocks& places, std::size_t members) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < members; ++i) {
      displacements_.push_back(static_cast<MPI_Count>(bytes));
      counts_.push_back(static_cast<MPI_Count>(places[i].bytes));
      bytes += places[i].bytes;
    }
    memory_.resize(bytes);
    for (std::size_t i = 0; i < members; ++i) {
      runtime::pack(places[i], {memory_.data() + displacements_[i], places[i].bytes});
    }
  }
  Blocks blocks() const {
    Blocks result;
    result.base = memory_.data();
    result.type = predefined_datatype(MPI_BYTE);
    result.counts = Numbers(counts_.data());
    result.displacements = Numbers(displacements_.data());
    return result;
  }

 private:
  std::vector<std::byte> memory_;
  std::vector<MPI_Count> counts_;
  std::vector<MPI_Count> displacements_;
};

void show(Team& team, std::uint32_t member, const Blocks& blocks) {
  Team::Cell& cell = team.cell(member);
  cell.words[0] = &blocks;
  cell.words[1] = blocks.dense() ? blocks.base : nullptr;
  cell.words[2] = reinterpret_cast<const void*>(blocks.dense() ? blocks.bytes() : 0);
}

// Member `from`'s block for member `to`, without a look at its stack where that can be avoided.
Buffer block_of(Team& team, std::uint32_t from, std::uint32_t to) {
  const Team::Cell& cell = team.cell(from);
  if (cell.words[1] != nullptr) {
    const auto bytes = reinterpret_cast<std::size_t>(cell.words[2]);
    return {behind(cell.words[1], static_cast<std::int64_t>(to * bytes)), bytes};
  }
  return (*static_cast<const Blocks*>(cell.words[0]))[to];
}

int exchange(const Entry& entry, const Communicator& comm, Mark mark, const Blocks& blocks, const Blocks& places) {
  if (comm.spread()) [[unlikely]] {
    return spread::alltoall(entry, comm, blocks, places);
  }
  Team& team = *comm.team();
  const auto me = static_cast<std::uint32_t>(comm.rank);
  show(team, me, blocks);
  const int error = meet_in_agreement(entry, comm, mark);
  if (error != MPI_SUCCESS) {
    return error;
  }
  std::optional<std::uint32_t> too_long;
  std::size_t bytes = 0;
  // Each begins with itself, so that not all read the same buffer at the same time.
  for (std::uint32_t i = 0; i < team.size(); ++i) {
    const std::uint32_t from = me + i < team.size() ? me + i : me + i - team.size();
    const Buffer block = block_of(team, from, me);
    const Buffer place = places[from];
    runtime::transfer(block, place);
    if (block.bytes > place.bytes) [[unlikely]] {
      too_long = from;
      bytes = block.bytes;
    }
  }
  meet_again(entry, comm);
  return too_long ? raise_too_long(entry, comm.handle, static_cast<int>(*too_long), bytes, places[*too_long].bytes)
                  : MPI_SUCCESS;
}

// Blocks must not arrive where others are still read.
int check_apart(const Entry& entry, const Call& call, const Blocks& blocks, int partners) {
  if (call.send.part.address != call.receive.part.address || call.send.part.address == MPI_BOTTOM) [[likely]] {
    return MPI_SUCCESS;
  }
  bool empty = true;
  for (std::size_t i = 0; i < static_cast<std::size_t>(partners); ++i) {
    empty &= blocks[i].bytes == 0;
  }
  return empty ? MPI_SUCCESS
               : entry.raise(call.comm, MPI_ERR_BUFFER, "sendbuf and recvbuf are the same; MPI_IN_PLACE says so");
}

int alltoall(const Entry& entry, const Call& call) {
  int error = MPI_SUCCESS;
  const Communicator* const comm = checked_comm(entry, call.comm, error);
  Blocks blocks;
  Blocks places;
  Types send_types;
  Types receive_types;
  const bool in_place = call.send.part.address == MPI_IN_PLACE;
  if (comm == nullptr ||
      (error = check_side(entry, *comm, comm->peers().size(), call.shape(), call.receive, places, receive_types)) !=
          MPI_SUCCESS ||
      (!in_place && ((error = check_side(entry, *comm, comm->peers().size(), call.shape(), call.send, blocks,
                                         send_types)) != MPI_SUCCESS ||
                     (error = check_apart(entry, call, blocks, comm->peers().size())) != MPI_SUCCESS))) {
    return error;
  }
  if (comm->is_inter()) [[unlikely]] {
    return in_place ? raise_in_place(entry, *comm) : inter_alltoall(entry, *comm, blocks, places);
  }
  if (comm->size() == 1) {
    const bool fits = in_place || blocks[0].bytes <= places[0].bytes;
    if (!in_place) {
      runtime::transfer(blocks[0], places[0]);
    }
    return fits ? MPI_SUCCESS : raise_too_long(entry, call.comm, 0, blocks[0].bytes, places[0].bytes);
  }
  const Mark mark = Mark::of_bytes(call.kind, 0, call.kind == Collective::alltoall ? places.bytes() : 0);
  if (in_place) {
    const PackedBlocks packed(places, static_cast<std::size_t>(comm->size()));
    return exchange(entry, *comm, mark, packed.blocks(), places);
  }
  return exchange(entry, *comm, mark, blocks, places);
}

}  // namespace
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

extern "C" {

int PMPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm) {
  migrate_at(Place::alltoall, comm, "MPI_Alltoall");
  const Entry entry("MPI_Alltoall");
  return alltoall(entry, {Collective::alltoall,
                          {{"sendbuf", sendbuf, sendcount, sendtype}, {}, {}},
                          {{"recvbuf", recvbuf, recvcount, recvtype}, {}, {}},
                          comm});
}

int PMPI_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                    MPI_Datatype recvtype, MPI_Comm comm) {
  migrate_at(Place::alltoall, comm, "MPI_Alltoall_c");
  const Entry entry("MPI_Alltoall_c");
  return alltoall(entry, {Collective::alltoall,
                          {{"sendbuf", sendbuf, sendcount, sendtype}, {}, {}},
                          {{"recvbuf", recvbuf, recvcount, recvtype}, {}, {}},
                          comm});
}

int PMPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                   void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  const Entry entry("MPI_Alltoallv");
  return alltoall(entry, {Collective::alltoallv,
                          {{"sendbuf", sendbuf, 0, sendtype}, Numbers(sendcounts), Numbers(sdispls)},
                          {{"recvbuf", recvbuf, 0, recvtype}, Numbers(recvcounts), Numbers(rdispls)},
                          comm});
}

int PMPI_Alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
                     void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
                     MPI_Comm comm) {
  const Entry entry("MPI_Alltoallv_c");
  return alltoall(entry, {Collective::alltoallv,
                          {{"sendbuf", sendbuf, 0, sendtype}, Numbers(sendcounts), Numbers(sdispls)},
                          {{"recvbuf", recvbuf, 0, recvtype}, Numbers(recvcounts), Numbers(rdispls)},
                          comm});
}

int PMPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                   void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                   MPI_Comm comm) {
  const Entry entry("MPI_Alltoallw");
  return alltoall(entry,
                  {Collective::alltoallw,
                   {{"sendbuf", sendbuf, 0, MPI_DATATYPE_NULL}, Numbers(sendcounts), Numbers(sdispls), sendtypes},
                   {{"recvbuf", recvbuf, 0, MPI_DATATYPE_NULL}, Numbers(recvcounts), Numbers(rdispls), recvtypes},
                   comm});
}

int PMPI_Alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                     const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  const Entry entry("MPI_Alltoallw_c");
  return alltoall(entry,
                  {Collective::alltoallw,
                   {{"sendbuf", sendbuf, 0, MPI_DATATYPE_NULL}, Numbers(sendcounts), Numbers(sdispls), sendtypes},
                   {{"recvbuf", recvbuf, 0, MPI_DATATYPE_NULL}, Numbers(recvcounts), Numbers(rdispls), recvtypes},
                   comm});
}

}  // extern "C"
