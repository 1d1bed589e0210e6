// MPI_Alltoall, MPI_Alltoallv, MPI_Alltoallw: in one process every member copies its blocks straight out of the others'
// buffers.
#include "mpi_shim/coll/alltoall/alltoall.hpp"

#include <algorithm>
#include <optional>

#include "mpi_shim/coll/intercomm/intercomm.hpp"
#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/migrate_at.hpp"
#include "mpi_shim/coll/run_by_messages.hpp"
#include "mpi_shim/coll/schedule/call_with_request.hpp"
#include "mpi_shim/coll/traced_collective.hpp"
#include "mpi_shim/coll/traffic_counter.hpp"

namespace weft::mpi_shim {
inline namespace coll {

void note_collective(const Entry& entry, const Alltoall& checked) {
  const int members = checked.comm->peers().size();
  const std::size_t received = all_bytes(checked.places, members);
  if (checked.places.counts) {
    note_blocks(entry, trace::EventKind::block_to, checked.in_place ? checked.places : checked.blocks, members);
    note_blocks(entry, trace::EventKind::block_from, checked.places, members);
  }
  note_collective(entry, *checked.comm, -1,
                  {checked.in_place ? received : all_bytes(checked.blocks, members), received});
}

namespace {

using runtime::Buffer;
using runtime::Team;

// For MPI_IN_PLACE: a packed copy of what the member sends, made before received blocks overwrite it.
class PackedBlocks {
 public:
  PackedBlocks(const Blocks& places, std::size_t members) : places_(places) {
    for (std::size_t i = 0; i < members; ++i) {
      displacements_.push_back(static_cast<MPI_Count>(bytes_));
      counts_.push_back(static_cast<MPI_Count>(places[i].bytes));
      bytes_ += places[i].bytes;
    }
  }
  std::size_t bytes() const { return bytes_; }
  // The blocks as they lie in the bytes() bytes at `memory`.
  Blocks blocks(const std::byte* memory) const {
    Blocks result;
    result.base = memory;
    result.type = predefined_datatype(MPI_BYTE);
    result.counts = ArrayArgument(counts_.data());
    result.displacements = ArrayArgument(displacements_.data());
    return result;
  }
  template <typename Copy>
  void pack(const Blocks& into, Copy&& copy) const {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      copy(places_[i], into[i]);
    }
  }

 private:
  const Blocks& places_;
  std::size_t bytes_ = 0;
  std::vector<MPI_Count> counts_;
  std::vector<MPI_Count> displacements_;
};

void publish(Team& team, std::uint32_t member, const Blocks& blocks) {
  Team::ExchangeSlot& slot = team.exchange_slot(member);
  slot.words[0] = &blocks;
  slot.words[1] = blocks.dense() ? blocks.base : nullptr;
  slot.words[2] = reinterpret_cast<const void*>(blocks.dense() ? blocks.bytes() : 0);
}

// Member `from`'s block for member `to`. Dense blocks are found from the exchange slot, without a read of `from`'s
// stack.
Buffer block_of(Team& team, std::uint32_t from, std::uint32_t to) {
  const Team::ExchangeSlot& slot = team.exchange_slot(from);
  if (slot.words[1] != nullptr) {
    const auto bytes = reinterpret_cast<std::size_t>(slot.words[2]);
    return {address_at(slot.words[1], static_cast<std::int64_t>(to * bytes)), bytes};
  }
  return (*static_cast<const Blocks*>(slot.words[0]))[to];
}

// A member's page has the blocks that it sends, in the order of the receivers.
int alltoall_by_flag_exchange(const Entry& entry, const Communicator& comm, const Blocks& blocks, const Blocks& places,
                              runtime::FlagExchange& flags) {
  const auto me = static_cast<std::uint32_t>(comm.rank);
  const std::size_t sent = blocks[0].bytes;
  const std::size_t bytes = std::min(sent, places.bytes());
  for (std::uint32_t to = 0; to < flags.size(); ++to) {
    runtime::pack(blocks[to], {flags.next_page(me) + to * bytes, bytes});
  }
  if (const int error = checked_flag_exchange(entry, comm, CallSignature::of_bytes(Collective::alltoall, 0, sent));
      error != MPI_SUCCESS) {
    return error;
  }
  for (std::uint32_t from = 0; from < flags.size(); ++from) {
    runtime::unpack({flags.page(me, from) + me * bytes, bytes}, places[from]);
  }
  return sent > bytes ? raise_truncation(entry, comm.handle, comm.rank, sent, bytes) : MPI_SUCCESS;
}

int exchange(const Entry& entry, const Communicator& comm, CallSignature signature, const Blocks& blocks,
             const Blocks& places) {
  const auto by_messages = [&](CollectiveSteps& executor) { by_messages::alltoall(executor, blocks, places); };
  if (comm.spans_processes()) [[unlikely]] {
    return run_blocking(entry, comm, by_messages);
  }
  // Only MPI_Alltoall has a block size that all members know.
  if (signature.call() != Collective::alltoall) {
    count_as_messages(entry, comm, by_messages);
  } else if (const auto over = run_by_messages_if_chosen(entry, comm, signature.call(), places.bytes(), by_messages)) {
    return *over;
  } else if (runtime::FlagExchange* const flags = flag_exchange_for(comm, places.bytes() * comm.team()->size())) {
    return alltoall_by_flag_exchange(entry, comm, blocks, places, *flags);
  }
  Team& team = *comm.team();
  const auto me = static_cast<std::uint32_t>(comm.rank);
  publish(team, me, blocks);
  const int error = checked_barrier(entry, comm, signature);
  if (error != MPI_SUCCESS) {
    return error;
  }
  std::optional<std::uint32_t> too_long;
  std::size_t bytes = 0;
  // Each member begins with itself, so that not all read the same buffer at the same time.
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
  next_barrier(entry, comm);
  return too_long ? raise_truncation(entry, comm.handle, static_cast<int>(*too_long), bytes, places[*too_long].bytes)
                  : MPI_SUCCESS;
}

// A range of memory that is sent, or that is received into.
struct Span {
  const std::byte* begin;
  const std::byte* end;
  bool sent;
};

// Of a block with gaps only the first byte counts: the gaps may belong to the other side.
void add_spans(const Blocks& blocks, int partners, bool sent, std::vector<Span>& spans) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(partners); ++i) {
    const Buffer block = blocks[i];
    if (block.bytes > 0) {
      const std::byte* const begin = first_byte(block);
      spans.push_back({begin, begin + (block.layout == nullptr ? block.bytes : 1), sent});
    }
  }
}

// Send and receive buffers must not overlap. Checked only if both sides have the same address, which may be MPI_BOTTOM.
int check_aliasing(const Entry& entry, const AlltoallCall& call, const Alltoall& checked, int partners) {
  if (call.send.buffer.address != call.receive.buffer.address) [[likely]] {
    return MPI_SUCCESS;
  }
  std::vector<Span> spans;
  add_spans(checked.blocks, partners, true, spans);
  add_spans(checked.places, partners, false, spans);
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  const std::byte* sent_to = nullptr;
  const std::byte* received_to = nullptr;
  for (const Span& span : spans) {
    if (span.begin < (span.sent ? received_to : sent_to)) {
      return entry.raise(call.comm, MPI_ERR_BUFFER,
                         "what sendbuf and recvbuf describe from the same address on overlaps; MPI_IN_PLACE says so");
    }
    const std::byte*& reached = span.sent ? sent_to : received_to;
    reached = std::max(reached, span.end);
  }
  return MPI_SUCCESS;
}

int alltoall(const Entry& entry, const AlltoallCall& call) {
  Alltoall checked;
  if (const int error = check_alltoall(entry, call, checked); error != MPI_SUCCESS) {
    return error;
  }
  trace_collective(entry, checked);
  const Communicator* const comm = checked.comm;
  const Blocks& blocks = checked.blocks;
  const Blocks& places = checked.places;
  const bool in_place = checked.in_place;
  if (comm->is_inter()) [[unlikely]] {
    return inter_alltoall(entry, *comm, blocks, places);
  }
  if (comm->size() == 1) {
    const bool fits = in_place || blocks[0].bytes <= places[0].bytes;
    if (!in_place) {
      runtime::transfer(blocks[0], places[0]);
    }
    return fits ? MPI_SUCCESS : raise_truncation(entry, call.comm, 0, blocks[0].bytes, places[0].bytes);
  }
  const CallSignature signature =
      CallSignature::of_bytes(call.kind, 0, call.kind == Collective::alltoall ? places.bytes() : 0);
  if (in_place) {
    const PackedBlocks packed(places, static_cast<std::size_t>(comm->size()));
    std::vector<std::byte> memory(packed.bytes());
    const Blocks aside = packed.blocks(memory.data());
    packed.pack(aside, runtime::transfer);
    return exchange(entry, *comm, signature, aside, places);
  }
  return exchange(entry, *comm, signature, blocks, places);
}

}  // namespace

int check_alltoall(const Entry& entry, const AlltoallCall& call, Alltoall& checked) {
  int error = MPI_SUCCESS;
  checked.comm = checked_comm(entry, call.comm, error);
  if (checked.comm == nullptr) {
    return error;
  }
  const Communicator& comm = *checked.comm;
  const int partners = comm.peers().size();
  checked.in_place = call.send.buffer.address == MPI_IN_PLACE;
  error = check_side(entry, comm, partners, call.receive, checked.places);
  if (error != MPI_SUCCESS || checked.in_place) {
    return error == MPI_SUCCESS && comm.is_inter() ? raise_in_place(entry, comm) : error;
  }
  error = check_side(entry, comm, partners, call.send, checked.blocks);
  return error != MPI_SUCCESS ? error : check_aliasing(entry, call, checked, partners);
}

void run_alltoall(CollectiveSteps& executor, const Alltoall& checked) {
  if (checked.comm->is_inter()) {
    by_messages::inter_alltoall(executor, checked.blocks, checked.places);
    return;
  }
  if (!checked.in_place) {
    by_messages::alltoall(executor, checked.blocks, checked.places);
    return;
  }
  const PackedBlocks packed(checked.places, static_cast<std::size_t>(checked.comm->size()));
  const Blocks aside = packed.blocks(executor.scratch(packed.bytes()));
  packed.pack(aside, [&](const Buffer& from, const Buffer& to) { executor.copy(from, to); });
  by_messages::alltoall(executor, aside, checked.places);
}

namespace {

int alltoall(const CallWithRequest& request_call, const AlltoallCall& call) {
  Alltoall checked;
  int error = request_call.check(call.comm);
  if (error == MPI_SUCCESS) {
    error = check_alltoall(request_call.entry, call, checked);
  }
  if (error != MPI_SUCCESS) {
    return error;
  }
  trace_collective(request_call.entry, checked);
  return request_call.schedule(*checked.comm, [&](CollectiveSteps& executor) { run_alltoall(executor, checked); });
}

}  // namespace

}  // namespace coll
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/coll/alltoall/alltoall.inc"
