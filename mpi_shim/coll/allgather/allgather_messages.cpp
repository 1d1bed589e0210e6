// MPI_Allgather(v): short blocks up a tree and all of them down again, long ones around a ring.
#include "mpi_shim/coll/message_algorithms.hpp"

namespace weft::mpi_shim::spread {
namespace {

using runtime::Buffer;

// On average, in bytes.
constexpr std::size_t kLongBlock = std::size_t{16} << 10;

// All members' blocks, one behind the other: where they belong, or in memory of their own.
class Row {
 public:
  Row(CollectiveSteps& steps, const Blocks& places, int members)
      : course_(steps), places_(places), starts_(static_cast<std::size_t>(members) + 1) {
    for (std::size_t i = 0; i + 1 < starts_.size(); ++i) {
      starts_[i + 1] = starts_[i] + places[i].bytes;
    }
    direct_ = places.dense();
  }
  std::size_t bytes() const { return starts_.back(); }
  void make_room() {
    data_ = direct_ ? static_cast<std::byte*>(const_cast<void*>(places_.base)) : course_.scratch(bytes());
  }
  Buffer blocks(int first, int n) const {
    const auto i = static_cast<std::size_t>(first);
    return {data_ + starts_[i], starts_[i + static_cast<std::size_t>(n)] - starts_[i]};
  }
  void pack(int member) {
    if (!direct_) {
      course_.copy(places_[static_cast<std::size_t>(member)], blocks(member, 1));
    }
  }
  void unpack_all_but(int member) {
    for (int i = 0; !direct_ && i + 1 < static_cast<int>(starts_.size()); ++i) {
      if (i != member) {
        course_.copy(blocks(i, 1), places_[static_cast<std::size_t>(i)]);
      }
    }
  }

 private:
  CollectiveSteps& course_;
  const Blocks& places_;
  std::vector<std::size_t> starts_;
  bool direct_ = false;
  std::byte* data_ = nullptr;
};

}  // namespace

void pass_around(CollectiveSteps& steps, const Peers& peers, const BlockOf& block) {
  const int size = peers.size();
  const int next = (peers.rank() + 1) % size;
  const int previous = (peers.rank() + size - 1) % size;
  for (int step = 0; step + 1 < size; ++step) {
    const auto receive = steps.start_receive(peers, previous, block((peers.rank() - step - 1 + size) % size));
    const auto send = steps.start_send(peers, next, block((peers.rank() - step + size) % size));
    steps.wait(receive);
    steps.wait(send);
  }
}

void allgather(CollectiveSteps& steps, const Blocks& places) {
  const Peers peers = steps.members(Collective::allgather);
  Row row(steps, places, peers.size());
  const auto members = static_cast<std::size_t>(peers.size());
  const Algorithm built_in = row.bytes() >= kLongBlock * members ? Algorithm::ring : Algorithm::tree;
  if (steps.choose(Collective::allgather, row.bytes() / members, built_in, set_of(Algorithm::tree, Algorithm::ring)) ==
      Algorithm::ring) {
    pass_around(steps, peers, [&](int member) { return places[static_cast<std::size_t>(member)]; });
    return;
  }
  row.make_room();
  row.pack(peers.rank());
  const Tree tree(peers.rank(), peers.size());
  tree.up([&](int child, int extent) { steps.receive(peers, child, row.blocks(child, extent)); });
  if (!tree.is_root()) {
    steps.send(peers, tree.parent(), row.blocks(peers.rank(), tree.extent()));
  }
  hand_down(steps, peers, 0, row.blocks(0, peers.size()));
  row.unpack_all_but(peers.rank());
}

}  // namespace weft::mpi_shim::spread
