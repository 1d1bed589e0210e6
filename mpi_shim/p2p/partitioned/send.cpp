// The sender of partitions: MPI_Psend_init, MPI_Start and MPI_Pready.
#include <limits>

#include "mpi_shim/p2p/partitioned/partitioned.hpp"

namespace weft::mpi_shim {
inline namespace p2p {

void PartitionedSend::start_handshake(MPI_Comm comm) {
  if (!has_peer()) {
    return;
  }
  std::int32_t& next = me().requests.next_partition_tag;
  if (next > std::numeric_limits<std::int32_t>::max() - partitions()) {
    next = 0;
  }
  first_tag_ = next;
  next += partitions();
  messages_.resize(static_cast<std::size_t>(partitions()));
  handshake_ = Handshake::send(me(), prepared_, comm, {partitions(), first_tag_, buffer_.bytes()});
}

int PartitionedSend::start(RankState& /*me*/) {
  ready_.assign(static_cast<std::size_t>(partitions()), 0);
  not_ready_ = partitions();
  first_open_ = 0;
  return MPI_SUCCESS;
}

bool PartitionedSend::ready(RankState& me, std::int32_t partition) {
  const auto i = static_cast<std::uint64_t>(partition);
  if (ready_[i] != 0) {
    return false;
  }
  ready_[i] = 1;
  --not_ready_;
  if (has_peer()) {
    const std::uint64_t n = buffer_.type == nullptr ? buffer_.bytes() : buffer_.count;
    const runtime::MatchKey key{prepared_.key.context + 1, prepared_.key.source, first_tag_ + partition};
    messages_[i].prepare_send(*me.rank, key, prepared_.peer, buffer_.part(i * n, n));
    runtime::start_send(*prepared_.to, runtime::SendMode::standard, messages_[i]);
  }
  return true;
}

bool PartitionedSend::advance(RankState& me) {
  if (not_ready_ > 0 || !all_done()) {
    return false;
  }
  Handshake::detach(me, handshake_);
  return true;
}

void PartitionedSend::add_awaited(std::vector<runtime::Request*>& awaited) {
  if (not_ready_ == 0 && !all_done()) {
    awaited.push_back(&messages_[first_open_]);
    return;
  }
  // A thread that waits for this request goes on when another one has called MPI_Pready (wake_waiters()). If there is
  // no other thread, the rank waits for ever, and the deadlock report shows never_done_.
  never_done_.kind = runtime::Request::Kind::send;
  never_done_.done = false;
  never_done_.owner = owner_;
  never_done_.key = prepared_.key;
  never_done_.peer = prepared_.peer;
  awaited.push_back(&never_done_);
}

void PartitionedSend::pup(pup::Puper& p, runtime::Rank& owner) {
  PartitionedTransfer::pup(p, owner);
  p | first_tag_ | ready_ | not_ready_;
}

}  // namespace p2p
}  // namespace weft::mpi_shim
