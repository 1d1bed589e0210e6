// The receiver of partitions: MPI_Precv_init, MPI_Start and MPI_Parrived.
#include <algorithm>

#include "mpi_shim/p2p/partitioned/partitioned.hpp"
#include "mpi_shim/request/status.hpp"

namespace weft::mpi_shim {
inline namespace p2p {

void PartitionedReceive::start_handshake(MPI_Comm comm) {
  if (has_peer()) {
    handshake_ = Handshake::receive(me(), prepared_, comm);
  }
}

int PartitionedReceive::start(RankState& me) {
  posted_ = false;
  first_open_ = 0;
  if (has_peer()) {
    post(me);
  }
  return MPI_SUCCESS;
}

// Posts the receives of this start. False: the handshake, which says what the sender sends, has not come.
bool PartitionedReceive::post(RankState& me) {
  if (handshake_ != MPI_REQUEST_NULL) {
    const Handshake& handshake = Handshake::from_handle(me, handshake_);
    if (!handshake.request.done) {
      return false;
    }
    theirs_ = handshake.partitioning;
    Handshake::detach(me, handshake_);
    messages_.resize(static_cast<std::size_t>(theirs_.partitions));
    if (buffer_.type != nullptr && theirs_.bytes % buffer_.element_bytes != 0) {
      staging_.resize(buffer_.all_bytes());
    }
  }
  const std::uint32_t context = prepared_.key.context + 1;  // see kPartitionedContext
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    const runtime::MatchKey key{context, prepared_.key.source, theirs_.first_tag + static_cast<std::int32_t>(i)};
    runtime::start_receive(*me.rank, key, place_of(i), messages_[i]);
  }
  posted_ = true;
  return true;
}

// The part of the buffer that the sender's partition fills; cut at the buffer's end.
runtime::Buffer PartitionedReceive::place_of(std::uint64_t sent_partition) {
  const std::uint64_t all = buffer_.all_bytes();
  const std::uint64_t first = std::min(sent_partition * theirs_.bytes, all);
  const std::uint64_t bytes = std::min(theirs_.bytes, all - first);
  if (!staging_.empty()) {
    return {staging_.data() + first, bytes, nullptr, bytes};
  }
  const std::uint64_t unit = buffer_.type == nullptr ? 1 : buffer_.element_bytes;
  return buffer_.part(first / unit, bytes / unit);
}

bool PartitionedReceive::has_arrived(std::uint64_t first, std::uint64_t bytes) const {
  if (theirs_.bytes == 0 || bytes == 0) {  // empty partitions correspond to no message: wait for all
    return std::ranges::all_of(messages_, &runtime::Request::done);
  }
  const std::uint64_t begin = first / theirs_.bytes;
  const std::uint64_t end = std::min<std::uint64_t>((first + bytes - 1) / theirs_.bytes + 1, messages_.size());
  for (std::uint64_t i = begin; i < end; ++i) {
    if (!messages_[i].done) {
      return false;
    }
  }
  return true;
}

void PartitionedReceive::unpack_staged(std::uint64_t first, std::uint64_t bytes) const {
  const std::uint64_t elements = buffer_.count * static_cast<std::uint64_t>(buffer_.partitions);
  buffer_.type->unpack(buffer_.base, elements, first, {staging_.data() + first, bytes});
}

bool PartitionedReceive::arrived(RankState& me, std::int32_t partition) {
  if (!has_peer()) {
    return true;
  }
  if (!posted_ && !post(me)) {
    return false;
  }
  const std::uint64_t first = static_cast<std::uint64_t>(partition) * buffer_.bytes();
  if (!has_arrived(first, buffer_.bytes())) {
    return false;
  }
  if (!staging_.empty()) {
    unpack_staged(first, buffer_.bytes());
  }
  return true;
}

bool PartitionedReceive::advance(RankState& me) {
  if (!has_peer()) {
    return true;
  }
  if ((!posted_ && !post(me)) || !all_done()) {
    return false;
  }
  if (!staging_.empty()) {
    unpack_staged(0, std::min<std::uint64_t>(staging_.size(), theirs_.bytes * messages_.size()));
  }
  return true;
}

void PartitionedReceive::add_awaited(std::vector<runtime::Request*>& awaited) {
  if (posted_) {
    if (!all_done()) {
      awaited.push_back(&messages_[first_open_]);
    }
  } else if (handshake_ != MPI_REQUEST_NULL) {
    Handshake::from_handle(me(), handshake_).add_awaited(awaited);
  }
}

int PartitionedReceive::finish(RankState& /*me*/, MPI_Status& status) {
  if (!has_peer()) {
    fill_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return MPI_SUCCESS;
  }
  const std::uint64_t sent = theirs_.bytes * messages_.size();
  fill_status(status, prepared_.key.source, prepared_.key.tag, std::min(sent, buffer_.all_bytes()));
  return sent > buffer_.all_bytes() ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

const char* PartitionedReceive::pinned() const {
  const bool open = posted_ && first_open_ < messages_.size() && !staging_.empty();
  return open ? "partitions come to it whose ends cut elements with gaps" : PartitionedTransfer::pinned();
}

void PartitionedReceive::pup(pup::Puper& p, runtime::Rank& owner) {
  PartitionedTransfer::pup(p, owner);
  p | theirs_ | posted_ | staging_;
}

}  // namespace p2p
}  // namespace weft::mpi_shim
