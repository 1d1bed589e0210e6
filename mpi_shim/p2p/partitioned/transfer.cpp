// What the sender and the receiver of partitions share.
#include "mpi_shim/p2p/partitioned/partitioned.hpp"

namespace weft::mpi_shim {
inline namespace p2p {

runtime::Buffer PartitionedBuffer::part(std::uint64_t first, std::uint64_t n) const {
  if (type == nullptr) {
    return {base + first, n, nullptr, n};
  }
  return message_buffer(base + static_cast<std::int64_t>(first) * extent, n, *type);
}

void PartitionedBuffer::pup(pup::Puper& p) {
  pup::same_address(p, base);
  p | partitions | count | element_bytes | extent | type;
}

PartitionedTransfer::~PartitionedTransfer() {
  if (handshake_ != MPI_REQUEST_NULL && owner_->upper_state != nullptr) {  // null: all of the rank's requests are freed
    Handshake::detach(me(), handshake_);
  }
}

void PartitionedTransfer::pup(pup::Puper& p, runtime::Rank& owner) {
  p | buffer_;
  prepared_.pup(p, owner);
  pup::same_address(p, handshake_);
  auto count = static_cast<std::uint64_t>(messages_.size());
  p | count | first_open_;
  messages_.resize(count);
  for (runtime::Request& message : messages_) {
    pup_message_request(p, owner, message);
  }
  owner_ = &owner;
  if (p.packing()) {
    handshake_ = MPI_REQUEST_NULL;
  }
}

const char* PartitionedTransfer::pinned() const {
  for (std::size_t i = first_open_; i < messages_.size(); ++i) {
    if (const char* const why = pinned_by(messages_[i]); why != nullptr) {
      return why;
    }
  }
  return nullptr;
}

bool PartitionedTransfer::all_done() {
  while (first_open_ < messages_.size() && messages_[first_open_].done) {
    ++first_open_;
  }
  return first_open_ == messages_.size();
}

}  // namespace p2p
}  // namespace weft::mpi_shim
