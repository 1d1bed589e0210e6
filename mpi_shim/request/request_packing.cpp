// Packs pending requests when their rank moves to another process.
#include "mpi_shim/request/request.hpp"

#include "mpi_shim/state/process_state.hpp"
#include "mpi_shim/state/state.hpp"
#include "runtime/p2p/packing.hpp"

namespace weft::mpi_shim {
inline namespace request {

const char* pinned_by(const runtime::Request& request) {
  const bool sends = !request.done && request.kind == runtime::Request::Kind::send;
  return sends && request.buffer.layout != nullptr ? "it sends elements with gaps" : nullptr;
}

const char* PendingRequest::pinned() const { return operation ? operation->pinned() : pinned_by(message); }

void pup_message_request(pup::Puper& p, runtime::Rank& owner, runtime::Request& request) {
  const runtime::Layout* layout = request.buffer.layout;
  runtime::pup_request(p, owner, request);
  if (!request.done) {  // a complete message does not use its type again, which may have been freed
    pup_layout(p, layout);
    request.buffer.layout = layout;
  }
}

void PreparedMessage::pup(pup::Puper& p, runtime::Rank& owner) {
  constexpr std::uint32_t kNobody = 0xffffffff;
  std::uint32_t receiver = to == nullptr ? kNobody : number(to->id);
  p | receiver | buffer.bytes | buffer.count | key | peer | mode | receives | buffered;
  pup::same_address(p, buffer.base);
  pup_layout(p, buffer.layout);
  to = receiver == kNobody ? nullptr : &owner.job.rank(receiver);
}

void PendingRequest::pup(pup::Puper& p, runtime::Rank& owner) {
  p | persistent | active | finished | abandoned | type;
  pup::same_address(p, comm);
  pup_message_request(p, owner, message);
  bool is_operation = operation != nullptr;
  p | is_operation;
  if (is_operation) {
    auto kind = p.unpacking() ? Operation::Kind{} : operation->kind();
    p | kind;
    if (p.unpacking()) {
      operation = process_state(owner.job).make_operation(kind);
    }
    operation->pup(p, owner);
  }
  bool starts = prepared != nullptr;
  p | starts;
  if (starts) {
    if (p.unpacking()) {
      prepared = std::make_unique<PreparedMessage>();
    }
    prepared->pup(p, owner);
  }
}

void RequestTable::pup(pup::Puper& p, runtime::Rank& owner) {
  auto count = static_cast<std::uint64_t>(count_);
  p | count;
  while (count_ < count) {
    refill();
  }
  if (p.unpacking()) {
    free_ = nullptr;
  }
  for (std::size_t index = count_; index-- > 1;) {
    PendingRequest& request = at(index);
    bool is_live = request.active || request.persistent;
    p | is_live;
    if (is_live) {
      request.pup(p, owner);
      live_ += p.unpacking() ? 1 : 0;
    } else if (p.unpacking()) {
      request.next_free = free_;
      free_ = &request;
    }
  }
  pup_list(p, operations);
  pup_list(p, abandoned);
  p | next_partition_tag;
}

void RequestTable::pup_list(pup::Puper& p, std::vector<PendingRequest*>& list) {
  auto count = static_cast<std::uint64_t>(list.size());
  p | count;
  list.resize(count);
  for (PendingRequest*& request : list) {
    auto index = static_cast<std::uint32_t>(p.unpacking() ? 0 : handle_value(request->handle) & kIndexMask);
    p | index;
    request = &at(index);
  }
}

}  // namespace request
}  // namespace weft::mpi_shim
