// Packs a schedule when its rank moves to another process. Its request is complete or inactive, since balancing steps
// wait for all others. Its scratch memory has other addresses afterwards.
#include "mpi_shim/coll/schedule/schedule.hpp"

#include "mpi_shim/coll/blocks.hpp"

template <>
inline constexpr bool weft::pup::is_plain<weft::runtime::MatchKey> = true;

namespace weft::mpi_shim {
inline namespace coll {

const char* Schedule::pinned() const {
  if (pending_exception_.holds()) {
    return "an exception waits for it behind a request";
  }
  for (std::size_t i = 0; i < request_count_; ++i) {
    if (!requests_[i].done) {
      return "a collective operation of its is under way";
    }
  }
  return nullptr;
}

// Returns the addresses of the scratch memory, by which addresses in it are told from the program's.
std::vector<const std::byte*> Schedule::pup_memory(pup::Puper& p) {
  auto count = static_cast<std::uint64_t>(memory_.size());
  p | count;
  memory_.resize(count);
  std::vector<const std::byte*> places;
  for (Memory& memory : memory_) {
    auto size = static_cast<std::uint64_t>(memory.size);
    p | size;
    if (p.unpacking()) {
      memory.bytes = std::make_unique<std::byte[]>(size);
      memory.size = size;
    }
    places.push_back(memory.bytes.get());
  }
  return places;
}

// The data begin `low` bytes after `address`. The address itself may lie outside of any memory, for types that hold
// absolute addresses.
void Schedule::pup_address(pup::Puper& p, const std::vector<const std::byte*>& memory, MPI_Aint low, void*& address) {
  std::uint32_t number = 0;  // of the block of scratch memory, from 1; 0: the program's memory
  std::uint64_t offset = reinterpret_cast<std::uintptr_t>(address_at(address, low));
  for (std::uint32_t i = 0; !p.unpacking() && number == 0 && i < memory.size(); ++i) {
    const auto start = reinterpret_cast<std::uintptr_t>(memory[i]);
    if (const std::uintptr_t from_start = reinterpret_cast<std::uintptr_t>(address_at(address, low)) - start;
        from_start < memory_[i].size) {
      number = i + 1;
      offset = from_start;
    }
  }
  p | number | offset;
  void* const data = number == 0 ? reinterpret_cast<void*>(offset) : memory_[number - 1].bytes.get() + offset;
  address = address_at(data, -low);
}

void Schedule::pup_buffer(pup::Puper& p, const std::vector<const std::byte*>& memory, runtime::Buffer& buffer) {
  pup_layout(p, buffer.layout);
  const auto* const type = static_cast<const Datatype*>(buffer.layout);
  pup_address(p, memory, type == nullptr ? 0 : type->true_lower_bound(), buffer.base);
  p | buffer.bytes | buffer.count;
}

void Schedule::pup(pup::Puper& p, runtime::Rank& /*owner*/) {
  auto steps = static_cast<std::uint64_t>(steps_.size());
  auto requests = static_cast<std::uint64_t>(request_count_);
  auto types = static_cast<std::uint64_t>(types_.size());
  pup::same_address(p, call_);
  p | next_ | truncated_ | op_may_throw_ | op_threw_ | steps | requests | types;
  steps_.resize(steps);
  types_.resize(types);
  if (p.unpacking()) {
    request_count_ = requests;
    requests_ = std::make_unique<runtime::Request[]>(requests);
  }
  const std::vector<const std::byte*> memory = pup_memory(p);
  for (std::shared_ptr<const Datatype>& type : types_) {
    p | type;
  }
  for (ScheduleStep& step : steps_) {
    p | step.kind | step.ticket | step.to | step.member | step.key;
    pup_buffer(p, memory, step.from);
    pup_buffer(p, memory, step.into);
  }
  bool combines = combination_.has_value();
  p | combines;
  if (combines) {
    Combination& combination = combination_ ? *combination_ : combination_.emplace();
    pup::same_address(p, combination.op);
    p | combination.user_op | combination.type;
    if (p.unpacking() && is_predefined(combination.op)) {
      combination.kernel = predefined_kernel(combination.op, *combination.type);
    }
  }
}

}  // namespace coll
}  // namespace weft::mpi_shim
