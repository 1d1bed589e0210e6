// MPI_Bcast.
#include "mpi_shim/coll/bcast/bcast.hpp"

#include <optional>

#include "mpi_shim/coll/call_check.hpp"
#include "mpi_shim/coll/call_mismatch.hpp"
#include "mpi_shim/coll/intercomm/intercomm.hpp"
#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/migrate_at.hpp"
#include "mpi_shim/coll/run_by_messages.hpp"
#include "mpi_shim/coll/schedule/call_with_request.hpp"
#include "mpi_shim/coll/traced_collective.hpp"
#include "mpi_shim/request/progress.hpp"
#include "runtime/sync/broadcast_ring.hpp"

namespace weft::mpi_shim {
inline namespace coll {

void note_collective(const Entry& entry, const Bcast& checked) {
  const Communicator& comm = *checked.comm;
  const bool gives = comm.is_inter() ? checked.root == MPI_ROOT : comm.rank == checked.root;
  const std::size_t bytes = checked.buffer.bytes;
  note_collective(
      entry, comm, checked.root,
      {gives ? bytes * static_cast<std::size_t>(comm.peers().size()) : 0, gives && comm.is_inter() ? 0 : bytes});
}

namespace {

using runtime::BroadcastRing;
using runtime::Buffer;
using runtime::Team;

// Suspends until the member's broadcast in the ring can go on. False: it never will, as others make another call.
bool await_turn(const Entry& entry, const Communicator& comm, bool is_root) {
  return await_broadcast(entry.me, *comm.team(), static_cast<std::uint32_t>(comm.rank),
                         is_root ? runtime::Awaited::room : runtime::Awaited::posted);
}

// A member whose broadcast does not come joins the barrier of the others, where all of them find that their calls
// differ.
std::optional<int> join_barrier(const Entry& entry, const Communicator& comm, CallSignature signature) {
  return signature_barrier(entry, comm, signature) ? std::nullopt : resolve_mismatch(entry, comm, signature);
}

// The root writes into the broadcast ring and goes on; the others read once the broadcast is posted.
int bcast_by_ring(const Entry& entry, const Communicator& comm, CallSignature signature, const Buffer& buffer) {
  BroadcastRing& ring = comm.team()->broadcast_ring();
  const auto me = static_cast<std::uint32_t>(comm.rank);
  const bool is_root = comm.rank == signature.root();
  while (!await_turn(entry, comm, is_root)) {
    if (const auto error = join_barrier(entry, comm, signature)) {
      return *error;
    }
  }
  if (is_root && !ring.is_posted(me)) {
    runtime::pack(buffer, {ring.page(me), buffer.bytes});
    ring.post(me, signature.bits());
  } else if (is_root || ring.signature(me) != signature.bits()) [[unlikely]] {
    return raise_broadcast_mismatch(entry, comm, signature);
  } else {
    runtime::unpack({ring.page(me), buffer.bytes}, buffer);
  }
  ring.advance(me, signature.bits());
  return MPI_SUCCESS;
}

// Every member copies from the root's buffer.
int bcast_long(const Entry& entry, const Communicator& comm, CallSignature signature, const Buffer& buffer) {
  Team& team = *comm.team();
  Team::ExchangeSlot& slot = team.exchange_slot(static_cast<std::uint32_t>(signature.root()));
  const bool is_root = comm.rank == signature.root();
  if (is_root) {
    slot.words[0] = &buffer;
  }
  const int error = checked_barrier(entry, comm, signature);
  if (error != MPI_SUCCESS) {
    return error;
  }
  if (!is_root) {
    runtime::transfer(*static_cast<const Buffer*>(slot.words[0]), buffer);
  }
  next_barrier(entry, comm);
  return MPI_SUCCESS;
}

int bcast(const Entry& entry, const BufferArgument& argument, int root, MPI_Comm handle) {
  Bcast checked;
  if (const int error = check_bcast(entry, argument, root, handle, checked); error != MPI_SUCCESS) {
    return error;
  }
  trace_collective(entry, checked);
  const Communicator* const comm = checked.comm;
  const Buffer& buffer = checked.buffer;
  if (comm->is_inter()) [[unlikely]] {
    return root == MPI_PROC_NULL ? inter_non_root(entry, *comm) : inter_bcast(entry, *comm, buffer, root);
  }
  if (comm->spans_processes()) [[unlikely]] {
    return run_blocking(entry, *comm, [&](CollectiveSteps& executor) { run_bcast(executor, checked); });
  }
  if (comm->team() == nullptr) {
    return MPI_SUCCESS;
  }
  if (const auto over = run_by_messages_if_chosen(entry, *comm, Collective::bcast, buffer.bytes,
                                                  [&](CollectiveSteps& executor) { run_bcast(executor, checked); })) {
    return *over;
  }
  const CallSignature signature = CallSignature::of_bytes(Collective::bcast, root, buffer.bytes);
  return buffer.bytes <= BroadcastRing::kBytes ? bcast_by_ring(entry, *comm, signature, buffer)
                                               : bcast_long(entry, *comm, signature, buffer);
}

}  // namespace

int check_bcast(const Entry& entry, const BufferArgument& argument, int root, MPI_Comm comm, Bcast& checked) {
  int error = MPI_SUCCESS;
  checked.comm = checked_comm(entry, comm, error);
  checked.root = root;
  if (checked.comm == nullptr || (checked.comm->is_inter() && root == MPI_PROC_NULL)) {
    return error;
  }
  Blocks blocks;
  error = check_buffer(entry, *checked.comm, argument, blocks);
  if (error == MPI_SUCCESS) {
    error = check_root(entry, *checked.comm, root);
  }
  if (error != MPI_SUCCESS) {
    return error;
  }
  checked.buffer = message_buffer(argument.address, static_cast<std::size_t>(argument.count), *blocks.type);
  return MPI_SUCCESS;
}

void run_bcast(CollectiveSteps& executor, const Bcast& checked) {
  if (!checked.comm->is_inter()) {
    by_messages::bcast(executor, checked.buffer, checked.root);
  } else if (checked.root != MPI_PROC_NULL) {
    by_messages::inter_bcast(executor, checked.buffer, checked.root);
  }
}

namespace {

int bcast(const CallWithRequest& request_call, const BufferArgument& argument, int root, MPI_Comm comm) {
  Bcast checked;
  int error = request_call.check(comm);
  if (error == MPI_SUCCESS) {
    error = check_bcast(request_call.entry, argument, root, comm, checked);
  }
  if (error != MPI_SUCCESS) {
    return error;
  }
  trace_collective(request_call.entry, checked);
  return request_call.schedule(*checked.comm, [&](CollectiveSteps& executor) { run_bcast(executor, checked); });
}

}  // namespace

}  // namespace coll
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/coll/bcast/bcast.inc"
