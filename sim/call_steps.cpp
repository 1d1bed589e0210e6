#include "sim/call_steps.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>

#include <fmt/format.h>

#include "mpi_shim/coll/steps/allgather.hpp"
#include "mpi_shim/coll/steps/allreduce.hpp"
#include "mpi_shim/coll/steps/alltoall.hpp"
#include "mpi_shim/coll/steps/barrier.hpp"
#include "mpi_shim/coll/steps/bcast.hpp"
#include "mpi_shim/coll/steps/gather.hpp"
#include "mpi_shim/coll/steps/reduce.hpp"
#include "mpi_shim/coll/steps/reduce_scatter.hpp"
#include "mpi_shim/coll/steps/scan.hpp"
#include "mpi_shim/coll/steps/scatter.hpp"

namespace weft::sim {
namespace {

namespace steps = mpi_shim::steps;

// The lengths at which Weft changes the algorithm; the same as in *_messages.cpp in mpi_shim/coll and below it.
constexpr std::uint64_t kShortGatherBlock = 2048;
constexpr std::uint64_t kLongAllgatherBlock = std::uint64_t{16} << 10;
constexpr std::uint64_t kLongReductionPart = 4096;
constexpr std::uint64_t kLongReduction = std::uint64_t{64} << 10;
constexpr std::uint64_t kScanPiece = std::uint64_t{64} << 10;
// Request slots have 16 bits, and linear algorithms have up to two messages for each member at once. With more members,
// calls with blocks of equal size use another algorithm.
constexpr std::uint32_t kMostRequests = 0xffff;
constexpr std::uint32_t kMostLinear = 32000;

// Stands for memory of the call; only its size is used.
struct Memory {
  std::byte* base = nullptr;
  std::size_t bytes = 0;
  const void* layout = nullptr;
};

struct Members {
  CallMember member;
  [[nodiscard]] int size() const { return static_cast<int>(member.size); }
  [[nodiscard]] int rank() const { return static_cast<int>(member.number); }
};

// Records the steps as actions. A ticket is a request slot, which becomes free after the wait for it.
class StepWriter {
 public:
  using Members = sim::Members;
  using Memory = sim::Memory;

  StepWriter(const CallWork& work, const ChannelOf& channel) : work_(work), channel_(channel) {}

  std::size_t start_send(const Members& members, int to, const Memory& memory) {
    const std::uint32_t number = channel_(members.member.number, static_cast<std::uint32_t>(to));
    return add(ActionKind::isend, number, memory.bytes);
  }
  std::size_t start_receive(const Members& members, int from, const Memory& memory) {
    const std::uint32_t number = channel_(static_cast<std::uint32_t>(from), members.member.number);
    return add(ActionKind::irecv, number, memory.bytes);
  }
  void wait(std::size_t ticket) { wait_run(ticket, 1); }
  void wait_all(std::vector<std::size_t>& tickets) {
    std::ranges::sort(tickets);
    for (std::size_t i = 0, n = 0; i < tickets.size(); i += n) {
      for (n = 1; i + n < tickets.size() && tickets[i + n] == tickets[i] + n; ++n) {
      }
      wait_run(tickets[i], n);
    }
    tickets.clear();
  }
  void send(const Members& members, int to, const Memory& memory) { wait(start_send(members, to, memory)); }
  void receive(const Members& members, int from, const Memory& memory) { wait(start_receive(members, from, memory)); }
  void copy(const Memory& from, const Memory&) { work(from.bytes, work_.copy_per_byte); }
  void combine(std::size_t bytes) { work(bytes, work_.combine_per_byte); }
  std::byte* scratch(std::size_t) { return &nowhere_; }

  CallProgram finish() {
    program_.actions.push_back({.kind = ActionKind::stop});
    return std::move(program_);
  }

 private:
  std::size_t add(ActionKind kind, std::uint32_t channel, std::size_t bytes) {
    if (free_.empty()) {
      free_.push_back(program_.requests++);
    }
    if (program_.requests > kMostRequests) {
      throw WorkloadError(fmt::format("a collective call has more than {} messages at once", kMostRequests));
    }
    const auto least = std::ranges::min_element(free_);
    const std::size_t slot = *least;
    free_.erase(least);
    program_.actions.push_back(
        {.kind = kind, .request = static_cast<std::uint16_t>(slot), .index = channel, .value = bytes});
    return slot;
  }
  void wait_run(std::size_t first, std::size_t slots) {
    program_.actions.push_back({.kind = ActionKind::wait,
                                .request = static_cast<std::uint16_t>(first),
                                .index = static_cast<std::uint32_t>(slots)});
    for (std::size_t i = 0; i < slots; ++i) {
      free_.push_back(first + i);
    }
  }
  void work(std::size_t bytes, Seconds per_byte) {
    const Seconds seconds = static_cast<double>(bytes) * per_byte;
    if (seconds > 0.0) {
      program_.actions.push_back({.kind = ActionKind::compute, .value = std::bit_cast<std::uint64_t>(seconds)});
    }
  }

  CallWork work_;
  const ChannelOf& channel_;
  CallProgram program_;
  std::vector<std::size_t> free_;
  std::byte nowhere_{};
};

// Stands for vectors of elements; only their lengths are used.
class VectorValues {
 public:
  VectorValues(StepWriter& writer, std::size_t element) : writer_(writer), element_(element) {}
  Memory slice(const void*, std::size_t, std::size_t n) { return place(n); }
  Memory input(std::size_t, std::size_t n) { return place(n); }
  Memory output(std::size_t, std::size_t n) { return place(n); }
  void* allocate(std::size_t) { return writer_.scratch(0); }
  void load(const void*, std::size_t, std::size_t n) { writer_.copy(place(n), {}); }
  void store(const void*, std::size_t, std::size_t n, std::size_t) { writer_.copy(place(n), {}); }
  void combine(const void*, const void*, std::size_t n) { writer_.combine(n * element_); }
  [[nodiscard]] static std::size_t unit() { return 1; }

 private:
  Memory place(std::size_t n) { return {writer_.scratch(0), n * element_}; }
  StepWriter& writer_;
  std::size_t element_;
};

class CallWriter {
 public:
  CallWriter(const MemberCall& call, StepWriter& writer)
      : call_(call), writer_(writer), members_{call.member}, root_(static_cast<int>(call.call.root)) {}

  void write() {
    switch (call_.call.kind) {
      case CollectiveKind::barrier:
        return steps::barrier_binomial(writer_, members_);
      case CollectiveKind::bcast:
        return steps::bcast_by_length(writer_, members_, root_, place(call_.bytes));
      case CollectiveKind::gather:
      case CollectiveKind::scatter:
        return rooted();
      case CollectiveKind::allgather:
        return allgather();
      case CollectiveKind::alltoall:
        return steps::alltoall_linear(
            writer_, members_, [&](int to) { return block(to); }, [&](int from) { return block(from); });
      default:
        return reduction();
    }
  }

 private:
  Memory place(std::uint64_t bytes) { return {writer_.scratch(0), bytes}; }
  Memory block(int member) {
    return place(call_.counts.empty() ? call_.bytes : call_.counts[static_cast<std::size_t>(member)]);
  }
  [[nodiscard]] bool linear_fits() const { return call_.member.size <= kMostLinear; }

  void rooted() {
    const auto block_of = [&](int member) { return block(member); };
    const steps::RootedPlaces<StepWriter, decltype(block_of)> places{root_, place(call_.bytes), block_of};
    const bool gathers = call_.call.kind == CollectiveKind::gather;
    if (call_.call.varies == 0 && (call_.bytes <= kShortGatherBlock || !linear_fits())) {
      gathers ? steps::gather_binomial(writer_, members_, call_.bytes, places)
              : steps::scatter_binomial(writer_, members_, call_.bytes, places);
    } else {
      gathers ? steps::gather_linear(writer_, members_, places) : steps::scatter_linear(writer_, members_, places);
    }
  }

  void allgather() {
    std::vector<std::uint64_t> starts(call_.member.size + std::size_t{1});
    for (std::size_t i = 0; i < call_.member.size; ++i) {
      starts[i + 1] = starts[i] + block(static_cast<int>(i)).bytes;
    }
    if (starts.back() >= kLongAllgatherBlock * call_.member.size) {
      return steps::allgather_ring(writer_, members_, [&](int member) { return block(member); });
    }
    steps::allgather_binomial(writer_, members_, [&](int first, int n) {
      const auto i = static_cast<std::size_t>(first);
      return place(starts[i + static_cast<std::size_t>(n)] - starts[i]);
    });
  }

  void reduction() {
    const std::size_t element = call_.call.element;
    VectorValues values(writer_, element);
    const std::size_t elements = call_.bytes / element;
    const bool is_long =
        call_.bytes >= kLongReduction && call_.bytes >= kLongReductionPart * call_.member.size && linear_fits();
    switch (call_.call.kind) {
      case CollectiveKind::reduce:
        return is_long ? steps::reduce_reduce_scatter_gather(writer_, members_, values, elements, root_)
                       : steps::reduce_binomial(writer_, members_, values, elements, root_);
      case CollectiveKind::allreduce:
        return is_long ? steps::allreduce_reduce_scatter_allgather(writer_, members_, values, elements)
                       : steps::allreduce_binomial(writer_, members_, values, elements);
      case CollectiveKind::reduce_scatter:
        return reduce_scatter(values, element);
      default:
        return steps::scan_chain(writer_, members_, values,
                                 {.elements = elements,
                                  .piece = std::max<std::size_t>(1, kScanPiece / element),
                                  .exclusive = call_.call.kind == CollectiveKind::exscan});
    }
  }

  // `bytes` is that of one member's block.
  void reduce_scatter(VectorValues& values, std::size_t element) {
    std::vector<std::size_t> starts(call_.member.size + std::size_t{1});
    for (std::size_t i = 0; i < call_.member.size; ++i) {
      starts[i + 1] = starts[i] + block(static_cast<int>(i)).bytes / element;
    }
    const std::uint64_t bytes = starts.back() * element;
    const bool is_long = bytes >= kLongReduction && bytes >= kLongReductionPart * call_.member.size && linear_fits();
    is_long ? steps::reduce_scatter_linear(writer_, members_, values, starts)
            : steps::reduce_scatter_binomial(writer_, members_, values, starts);
  }

  const MemberCall& call_;
  StepWriter& writer_;
  Members members_;
  int root_;
};

}  // namespace

CallProgram write_steps(const MemberCall& call, const CallWork& work, const ChannelOf& channel) {
  StepWriter writer(work, channel);
  CallWriter(call, writer).write();
  return writer.finish();
}

}  // namespace weft::sim
