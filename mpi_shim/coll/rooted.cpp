#include "mpi_shim/coll/rooted.hpp"

#include "mpi_shim/coll/intercomm/intercomm.hpp"
#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/run_by_messages.hpp"
#include "mpi_shim/coll/schedule/call_with_request.hpp"
#include "mpi_shim/coll/traced_collective.hpp"
#include "mpi_shim/coll/traffic_counter.hpp"

namespace weft::mpi_shim {
inline namespace coll {

void note_collective(const Entry& entry, const RootedCall& call, const CheckedRooted& checked) {
  const std::size_t all = checked.is_root ? all_bytes(checked.side.blocks, checked.comm->peers().size()) : 0;
  std::size_t own = checked.own.bytes;
  if (checked.in_place) {
    own = checked.side.blocks[static_cast<std::size_t>(call.root)].bytes;
  }
  const bool gathers = call.kind == Collective::gather || call.kind == Collective::gatherv;
  if (checked.is_root && call.counts) {
    note_blocks(entry, gathers ? trace::EventKind::block_from : trace::EventKind::block_to, checked.side.blocks,
                checked.comm->peers().size());
  }
  note_collective(entry, *checked.comm, call.root, {gathers ? own : all, gathers ? all : own});
}

namespace {

int check_root_side(const Entry& entry, const RootedCall& call, CheckedRooted& rooted) {
  const bool with_counts = call.kind == Collective::gatherv || call.kind == Collective::scatterv;
  Blocks& blocks = rooted.side.blocks;
  int error = check_buffer(entry, *rooted.comm, call.all, blocks);
  if (error != MPI_SUCCESS || !with_counts) {
    return error;
  }
  blocks.counts = call.counts;
  blocks.displacements = call.displacements;
  if (!call.displacements) {
    return entry.raise(call.comm, MPI_ERR_ARG, "displs is null");
  }
  const int members = rooted.comm->peers().size();
  error = check_counts(entry, *rooted.comm, call.kind == Collective::gatherv ? "recvcounts" : "sendcounts", call.counts,
                       members);
  return error == MPI_SUCCESS ? check_block_addresses(entry, *rooted.comm, call.all.name, blocks, members) : error;
}

int check_own_side(const Entry& entry, const RootedCall& call, CheckedRooted& rooted) {
  if (call.own.address == MPI_IN_PLACE) {
    rooted.in_place = true;
    return rooted.is_root
               ? MPI_SUCCESS
               : entry.raise(call.comm, MPI_ERR_BUFFER, "{} is MPI_IN_PLACE at rank {}, which is not the root {}",
                             call.own.name, rooted.comm->rank, call.root);
  }
  Blocks own;
  const int error = check_buffer(entry, *rooted.comm, call.own, own);
  if (error == MPI_SUCCESS) {
    rooted.own = message_buffer(call.own.address, static_cast<std::size_t>(call.own.count), *own.type);
  }
  return error;
}

// The root's own block must not be sent from the buffer that it is received in.
int check_aliasing(const Entry& entry, const RootedCall& call, const CheckedRooted& rooted) {
  const runtime::Buffer place = rooted.side.blocks[static_cast<std::size_t>(call.root)];
  return rooted.in_place || rooted.own.bytes == 0 || first_byte(rooted.own) != first_byte(place)
             ? MPI_SUCCESS
             : entry.raise(call.comm, MPI_ERR_BUFFER, "{} is also the root's place in {}; MPI_IN_PLACE says so",
                           call.own.name, call.all.name);
}

// In calls without counts every block has the same size at both ends.
bool has_uniform_blocks(Collective kind) { return kind == Collective::gather || kind == Collective::scatter; }

std::size_t block_bytes(const RootedCall& call, const CheckedRooted& rooted) {
  if (!has_uniform_blocks(call.kind)) {
    return 0;
  }
  return rooted.is_root ? rooted.side.blocks.bytes() : rooted.own.bytes;
}

bool gathers(Collective kind) { return kind == Collective::gather || kind == Collective::gatherv; }

int check_inter(const Entry& entry, const RootedCall& call, CheckedRooted& rooted) {
  if (call.root == MPI_PROC_NULL) {
    return MPI_SUCCESS;
  }
  rooted.is_root = call.root == MPI_ROOT;
  const int error = rooted.is_root ? check_root_side(entry, call, rooted) : check_own_side(entry, call, rooted);
  return error == MPI_SUCCESS && rooted.in_place ? raise_in_place(entry, *rooted.comm) : error;
}

int run_between_groups(const Entry& entry, const RootedCall& call, CheckedRooted& rooted) {
  if (call.root == MPI_PROC_NULL) {
    return inter_non_root(entry, *rooted.comm);
  }
  return gathers(call.kind) ? inter_gather(entry, *rooted.comm, rooted.own, rooted.side.blocks, call.root)
                            : inter_scatter(entry, *rooted.comm, rooted.side.blocks, rooted.own, call.root);
}

}  // namespace

int check_rooted(const Entry& entry, const RootedCall& call, CheckedRooted& rooted) {
  int error = MPI_SUCCESS;
  rooted.comm = checked_comm(entry, call.comm, error);
  if (rooted.comm == nullptr) {
    return error;
  }
  error = check_root(entry, *rooted.comm, call.root);
  if (error != MPI_SUCCESS) {
    return error;
  }
  if (rooted.comm->is_inter()) [[unlikely]] {
    return check_inter(entry, call, rooted);
  }
  rooted.is_root = rooted.comm->rank == call.root;
  error = check_own_side(entry, call, rooted);
  if (error != MPI_SUCCESS || !rooted.is_root) {
    return error;
  }
  error = check_root_side(entry, call, rooted);
  return error != MPI_SUCCESS ? error : check_aliasing(entry, call, rooted);
}

void run_rooted(CollectiveSteps& executor, const RootedCall& call, const CheckedRooted& rooted) {
  const bool up = gathers(call.kind);
  if (!rooted.comm->is_inter()) {
    up ? by_messages::gather(executor, call, rooted) : by_messages::scatter(executor, call, rooted);
  } else if (call.root != MPI_PROC_NULL) {
    const Blocks& blocks = rooted.side.blocks;
    up ? by_messages::inter_gather(executor, rooted.own, blocks, call.root)
       : by_messages::inter_scatter(executor, blocks, rooted.own, call.root);
  }
}

int rooted_barrier(const Entry& entry, const RootedCall& call, CheckedRooted& rooted, RootSide*& side) {
  int error = check_rooted(entry, call, rooted);
  if (error != MPI_SUCCESS) {
    return error;
  }
  trace_collective(entry, call, rooted);
  if (rooted.comm->is_inter()) [[unlikely]] {
    return run_between_groups(entry, call, rooted);
  }
  if (rooted.comm->spans_processes()) [[unlikely]] {
    return run_blocking(entry, *rooted.comm, [&](CollectiveSteps& executor) { run_rooted(executor, call, rooted); });
  }
  runtime::Team* const team = rooted.comm->team();
  if (team == nullptr) {
    side = &rooted.side;
    return MPI_SUCCESS;
  }
  const auto by_messages = [&](CollectiveSteps& executor) { run_rooted(executor, call, rooted); };
  if (!has_uniform_blocks(call.kind)) {
    count_as_messages(entry, *rooted.comm, by_messages);
  } else if (const auto over =
                 run_by_messages_if_chosen(entry, *rooted.comm, call.kind, block_bytes(call, rooted), by_messages)) {
    return *over;
  }
  runtime::Team::ExchangeSlot& slot = team->exchange_slot(static_cast<std::uint32_t>(call.root));
  if (rooted.is_root) {
    slot.words[0] = &rooted.side;
  }
  error =
      checked_barrier(entry, *rooted.comm, CallSignature::of_bytes(call.kind, call.root, block_bytes(call, rooted)));
  if (error == MPI_SUCCESS) {
    side = static_cast<RootSide*>(const_cast<void*>(slot.words[0]));
  }
  return error;
}

int begin_rooted(const CallWithRequest& request_call, const RootedCall& call) {
  CheckedRooted checked;
  int error = request_call.check(call.comm);
  if (error == MPI_SUCCESS) {
    error = check_rooted(request_call.entry, call, checked);
  }
  if (error != MPI_SUCCESS) {
    return error;
  }
  trace_collective(request_call.entry, call, checked);
  return request_call.schedule(*checked.comm, [&](CollectiveSteps& executor) { run_rooted(executor, call, checked); });
}

}  // namespace coll
}  // namespace weft::mpi_shim
