// MPI_Allgather(v): short blocks up a tree and all of them down again, long ones around a ring.
#include "mpi_shim/collective/spread/spread.hpp"

namespace weft::mpi_shim::spread {
namespace {

using runtime::Buffer;

// On average, in bytes.
constexpr std::size_t kLongBlock = std::size_t{16} << 10;

// All members' blocks, one behind the other.
class Row {
 public:
  Row(const Blocks& places, int members) : places_(places), starts_(static_cast<std::size_t>(members) + 1) {
    for (std::size_t i = 0; i + 1 < starts_.size(); ++i) {
      starts_[i + 1] = starts_[i] + places[i].bytes;
    }
    if (!places.dense()) {
      copy_.resize(starts_.back());
    }
  }
  std::size_t bytes() const { return starts_.back(); }
  std::byte* data() {
    return places_.dense() ? static_cast<std::byte*>(const_cast<void*>(places_.base)) : copy_.data();
  }
  Buffer blocks(int first, int n) {
    const auto i = static_cast<std::size_t>(first);
    return {data() + starts_[i], starts_[i + static_cast<std::size_t>(n)] - starts_[i]};
  }
  void pack(int member) {
    if (!places_.dense()) {
      const Buffer own = blocks(member, 1);
      runtime::pack(places_[static_cast<std::size_t>(member)], {static_cast<std::byte*>(own.base), own.bytes});
    }
  }
  void unpack_all_but(int member) {
    for (int i = 0; !places_.dense() && i + 1 < static_cast<int>(starts_.size()); ++i) {
      if (i != member) {
        const Buffer block = blocks(i, 1);
        runtime::unpack({static_cast<const std::byte*>(block.base), block.bytes}, places_[static_cast<std::size_t>(i)]);
      }
    }
  }

 private:
  const Blocks& places_;
  std::vector<std::size_t> starts_;
  std::vector<std::byte> copy_;
};

}  // namespace

void pass_around(const Peers& peers, const BlockOf& block) {
  const int size = peers.size();
  const int next = (peers.rank() + 1) % size;
  const int previous = (peers.rank() + size - 1) % size;
  for (int step = 0; step + 1 < size; ++step) {
    runtime::Request requests[2];
    peers.start_receive(previous, block((peers.rank() - step - 1 + size) % size), requests[0]);
    peers.start_send(next, block((peers.rank() - step + size) % size), requests[1]);
    peers.wait(requests);
  }
}

int allgather(const Entry& entry, const Communicator& comm, const Blocks& places) {
  const Peers peers = members(entry, comm, Collective::allgather);
  Row row(places, comm.size());
  if (row.bytes() >= kLongBlock * static_cast<std::size_t>(comm.size())) {
    pass_around(peers, [&](int member) { return places[static_cast<std::size_t>(member)]; });
    return MPI_SUCCESS;
  }
  row.pack(comm.rank);
  const Tree tree(comm.rank, comm.size());
  tree.up([&](int child, int extent) { peers.receive(child, row.blocks(child, extent)); });
  if (!tree.is_root()) {
    peers.send(tree.parent(), row.blocks(comm.rank, tree.extent()));
  }
  hand_down(peers, 0, {row.data(), row.bytes()});
  row.unpack_all_but(comm.rank);
  return MPI_SUCCESS;
}

}  // namespace weft::mpi_shim::spread
