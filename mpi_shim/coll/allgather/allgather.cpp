// MPI_Allgather, MPI_Allgatherv: in one process every member copies every block straight out of its owner's buffer.
#include "mpi_shim/coll/allgather/allgather.hpp"

#include <cstring>

#include "mpi_shim/coll/intercomm/intercomm.hpp"
#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/migrate_at.hpp"
#include "mpi_shim/coll/run_by_messages.hpp"
#include "mpi_shim/coll/schedule/call_with_request.hpp"
#include "mpi_shim/coll/traced_collective.hpp"

namespace weft::mpi_shim {
inline namespace coll {

void note_collective(const Entry& entry, const Allgather& checked) {
  const int members = checked.comm->peers().size();
  if (checked.places.counts) {
    note_blocks(entry, trace::EventKind::block_from, checked.places, members);
  }
  note_collective(entry, *checked.comm, -1,
                  {checked.own.bytes * static_cast<std::size_t>(members), all_bytes(checked.places, members)});
}

namespace {

using runtime::Buffer;
using runtime::Team;

// Blocks up to this size are passed in Team::word(), which is read faster than the owners' buffers.
constexpr std::size_t kSmallBytes = sizeof(std::uint64_t);

int check(const Entry& entry, const AllgatherCall& call, const Communicator& comm, Buffer& own, Blocks& places) {
  int error = check_buffer(entry, comm, call.all, places);
  if (error == MPI_SUCCESS && call.kind == Collective::allgatherv) {
    places.counts = call.counts;
    places.displacements = call.displacements;
    error = call.displacements ? check_counts(entry, comm, "recvcounts", call.counts, comm.peers().size())
                               : entry.raise(call.comm, MPI_ERR_ARG, "displs is null");
  }
  if (error == MPI_SUCCESS && call.kind == Collective::allgatherv) {
    error = check_block_addresses(entry, comm, call.all.name, places, comm.peers().size());
  }
  if (error != MPI_SUCCESS) {
    return error;
  }
  if (call.own.address == MPI_IN_PLACE) {
    own = comm.is_inter() ? Buffer{} : places[static_cast<std::size_t>(comm.rank)];
    return comm.is_inter() ? raise_in_place(entry, comm) : MPI_SUCCESS;
  }
  Blocks block;
  error = check_buffer(entry, comm, call.own, block);
  if (error != MPI_SUCCESS) {
    return error;
  }
  own = message_buffer(call.own.address, static_cast<std::size_t>(call.own.count), *block.type);
  if (comm.is_inter()) {
    return MPI_SUCCESS;
  }
  const Buffer place = places[static_cast<std::size_t>(comm.rank)];
  if (own.bytes > 0 && first_byte(own) == first_byte(place)) {
    return entry.raise(call.comm, MPI_ERR_BUFFER, "sendbuf is also the rank's place in recvbuf; MPI_IN_PLACE says so");
  }
  return own.bytes <= place.bytes ? MPI_SUCCESS : raise_truncation(entry, call.comm, comm.rank, own.bytes, place.bytes);
}

int raise_misfit(const Entry& entry, const Communicator& comm, std::uint32_t from, std::size_t bytes,
                 const Blocks& places) {
  return entry.raise(comm.handle, MPI_ERR_TRUNCATE, "rank {} sends {} bytes instead of {}", from, bytes,
                     places[from].bytes);
}

int allgather_small(const Entry& entry, const Communicator& comm, CallSignature signature, const Buffer& own,
                    const Blocks& places) {
  Team& team = *comm.team();
  const std::size_t bytes = places.bytes();
  runtime::pack(own, {reinterpret_cast<std::byte*>(&team.word(static_cast<std::uint32_t>(comm.rank))), own.bytes});
  const int error = checked_barrier(entry, comm, signature);
  if (error != MPI_SUCCESS) {
    return error;
  }
  const auto* const words = reinterpret_cast<const std::byte*>(&team.word(0));
  if (bytes == sizeof(std::uint64_t) && places.dense()) {
    std::memcpy(const_cast<void*>(places.base), words, bytes * team.size());
  } else {
    for (std::size_t i = 0; i < team.size(); ++i) {
      runtime::unpack({words + i * sizeof(std::uint64_t), bytes}, places[i]);
    }
  }
  next_barrier(entry, comm);
  return MPI_SUCCESS;
}

int allgather_by_flag_exchange(const Entry& entry, const Communicator& comm, const Buffer& own, const Blocks& places,
                               runtime::FlagExchange& flags) {
  const auto me = static_cast<std::uint32_t>(comm.rank);
  runtime::pack(own, {flags.next_page(me), own.bytes});
  if (const int error =
          checked_flag_exchange(entry, comm, CallSignature::of_bytes(Collective::allgather, 0, own.bytes));
      error != MPI_SUCCESS) {
    return error;
  }
  for (std::uint32_t i = 0; i < flags.size(); ++i) {
    const Buffer place = places[i];
    if (first_byte(own) != first_byte(place)) {
      runtime::unpack({flags.page(me, i), own.bytes}, place);
    }
  }
  return own.bytes == places.bytes() ? MPI_SUCCESS : raise_misfit(entry, comm, me, own.bytes, places);
}

int allgather_large(const Entry& entry, const Communicator& comm, CallSignature signature, const Buffer& own,
                    const Blocks& places) {
  Team& team = *comm.team();
  team.exchange_slot(static_cast<std::uint32_t>(comm.rank)).words[0] = &own;
  const int error = checked_barrier(entry, comm, signature);
  if (error != MPI_SUCCESS) {
    return error;
  }
  const bool all_equal = signature.call() == Collective::allgather;
  std::uint32_t misfit = team.size();
  // Each member begins with its own block, so that not all read the same buffer at the same time.
  for (std::uint32_t i = 0; i < team.size(); ++i) {
    const std::uint32_t from = (static_cast<std::uint32_t>(comm.rank) + i) % team.size();
    const Buffer& block = *static_cast<const Buffer*>(team.exchange_slot(from).words[0]);
    const Buffer place = places[from];
    if (first_byte(block) != first_byte(place)) {
      runtime::transfer(block, place);
    }
    misfit = block.bytes > place.bytes || (all_equal && block.bytes < place.bytes) ? from : misfit;
  }
  std::size_t bytes = 0;
  if (misfit != team.size()) {
    bytes = static_cast<const Buffer*>(team.exchange_slot(misfit).words[0])->bytes;
  }
  next_barrier(entry, comm);
  return misfit == team.size() ? MPI_SUCCESS : raise_misfit(entry, comm, misfit, bytes, places);
}

// Bytes of a member's block, by which a table chooses: the average if sizes may differ. Without a table that is not
// needed, and 0.
std::size_t block_bytes(const Communicator& comm, const Blocks& places, bool same_size) {
  if (same_size || choices_are_built_in) {
    return same_size ? places.bytes() : 0;
  }
  const auto members = static_cast<std::size_t>(comm.size());
  std::size_t all = 0;
  for (std::size_t i = 0; i < members; ++i) {
    all += places[i].bytes;
  }
  return all / members;
}

int allgather(const Entry& entry, const AllgatherCall& call) {
  Allgather checked;
  if (const int error = check_allgather(entry, call, checked); error != MPI_SUCCESS) {
    return error;
  }
  trace_collective(entry, checked);
  const Communicator* const comm = checked.comm;
  const Buffer& own = checked.own;
  const Blocks& places = checked.places;
  if (comm->is_inter()) [[unlikely]] {
    return inter_allgather(entry, *comm, own, places);
  }
  if (comm->spans_processes()) [[unlikely]] {
    return run_blocking(entry, *comm, [&](CollectiveSteps& executor) { run_allgather(executor, checked); });
  }
  if (comm->team() == nullptr) {
    if (!checked.in_place) {
      runtime::transfer(own, places[0]);
    }
    return MPI_SUCCESS;
  }
  const bool same_size = call.kind == Collective::allgather;
  if (const auto over =
          run_by_messages_if_chosen(entry, *comm, call.kind, block_bytes(*comm, places, same_size),
                                    [&](CollectiveSteps& executor) { run_allgather(executor, checked); })) {
    return *over;
  }
  if (runtime::FlagExchange* const flags = same_size ? flag_exchange_for(*comm, places.bytes()) : nullptr) {
    return allgather_by_flag_exchange(entry, *comm, own, places, *flags);
  }
  const CallSignature signature = CallSignature::of_bytes(call.kind, 0, same_size ? places.bytes() : 0);
  return same_size && places.bytes() <= kSmallBytes ? allgather_small(entry, *comm, signature, own, places)
                                                    : allgather_large(entry, *comm, signature, own, places);
}

}  // namespace

int check_allgather(const Entry& entry, const AllgatherCall& call, Allgather& checked) {
  int error = MPI_SUCCESS;
  checked.comm = checked_comm(entry, call.comm, error);
  checked.in_place = call.own.address == MPI_IN_PLACE;
  return checked.comm == nullptr ? error : check(entry, call, *checked.comm, checked.own, checked.places);
}

void run_allgather(CollectiveSteps& executor, const Allgather& checked) {
  if (checked.comm->is_inter()) {
    by_messages::inter_allgather(executor, checked.own, checked.places);
    return;
  }
  if (!checked.in_place) {
    executor.copy(checked.own, checked.places[static_cast<std::size_t>(checked.comm->rank)]);
  }
  by_messages::allgather(executor, checked.places);
}

namespace {

int allgather(const CallWithRequest& request_call, const AllgatherCall& call) {
  Allgather checked;
  int error = request_call.check(call.comm);
  if (error == MPI_SUCCESS) {
    error = check_allgather(request_call.entry, call, checked);
  }
  if (error != MPI_SUCCESS) {
    return error;
  }
  trace_collective(request_call.entry, checked);
  return request_call.schedule(*checked.comm, [&](CollectiveSteps& executor) { run_allgather(executor, checked); });
}

}  // namespace

}  // namespace coll
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/coll/allgather/allgather.inc"
