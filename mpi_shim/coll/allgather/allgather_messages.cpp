// MPI_Allgather(v) by messages: short blocks along a binomial tree, long ones around a ring.
#include "mpi_shim/coll/steps/allgather.hpp"

#include "mpi_shim/coll/message_algorithms.hpp"

namespace weft::mpi_shim::by_messages {
namespace {

using runtime::Buffer;

// Average size of a block, in bytes, from which the ring is built in.
constexpr std::size_t kLongBlock = std::size_t{16} << 10;

// All members' blocks in a contiguous buffer: the receive buffer if it is dense, else scratch memory.
class Row {
 public:
  Row(CollectiveSteps& executor, const Blocks& places, int members)
      : executor_(executor), places_(places), starts_(static_cast<std::size_t>(members) + 1) {
    for (std::size_t i = 0; i + 1 < starts_.size(); ++i) {
      starts_[i + 1] = starts_[i] + places[i].bytes;
    }
    direct_ = places.dense();
  }
  std::size_t bytes() const { return starts_.back(); }
  void make_room() {
    data_ = direct_ ? static_cast<std::byte*>(const_cast<void*>(places_.base)) : executor_.scratch(bytes());
  }
  Buffer blocks(int first, int n) const {
    const auto i = static_cast<std::size_t>(first);
    return {data_ + starts_[i], starts_[i + static_cast<std::size_t>(n)] - starts_[i]};
  }
  void pack(int member) {
    if (!direct_) {
      executor_.copy(places_[static_cast<std::size_t>(member)], blocks(member, 1));
    }
  }
  void unpack_all_but(int member) {
    for (int i = 0; !direct_ && i + 1 < static_cast<int>(starts_.size()); ++i) {
      if (i != member) {
        executor_.copy(blocks(i, 1), places_[static_cast<std::size_t>(i)]);
      }
    }
  }

 private:
  CollectiveSteps& executor_;
  const Blocks& places_;
  std::vector<std::size_t> starts_;
  bool direct_ = false;
  std::byte* data_ = nullptr;
};

}  // namespace

void allgather(CollectiveSteps& executor, const Blocks& places) {
  const Peers peers = executor.members(Collective::allgather);
  Row row(executor, places, peers.size());
  const auto members = static_cast<std::size_t>(peers.size());
  const Algorithm built_in = row.bytes() >= kLongBlock * members ? Algorithm::ring : Algorithm::binomial;
  if (executor.choose(Collective::allgather, row.bytes() / members, built_in,
                      set_of(Algorithm::binomial, Algorithm::ring)) == Algorithm::ring) {
    steps::allgather_ring(executor, peers, [&](int member) { return places[static_cast<std::size_t>(member)]; });
    return;
  }
  row.make_room();
  row.pack(peers.rank());
  steps::allgather_binomial(executor, peers, [&](int first, int n) { return row.blocks(first, n); });
  row.unpack_all_but(peers.rank());
}

}  // namespace weft::mpi_shim::by_messages
