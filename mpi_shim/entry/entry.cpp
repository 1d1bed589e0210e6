#include "mpi_shim/entry/entry.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "mpi_shim/error/errhandler.hpp"
#include "runtime/control/computing.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/sched/thread_calls.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/timeline/recorder.hpp"

namespace weft::mpi_shim {
inline namespace entry {

int Entry::raise_text(MPI_Comm comm, int error_class, const std::string& text) const {
  Communicator* const named = find_comm(me, comm);
  const Communicator& raises_on = named != nullptr ? *named : fallback_comm(me);
  return handle_error(me, raises_on.handle, raises_on.errhandler, {error_class, call_, text.c_str()});
}

int Entry::bad_comm(MPI_Comm comm) const {
  if (comm == MPI_COMM_NULL) {
    return raise(comm, MPI_ERR_COMM, "comm is MPI_COMM_NULL");
  }
  return raise(comm, MPI_ERR_COMM, "comm {:#x} is not a communicator of this rank", handle_value(comm));
}

int Entry::null_argument(MPI_Comm comm, const char* name) const {
  return raise(comm, MPI_ERR_ARG, "{} is a null pointer", name);
}

namespace {

// Records that a thread of the rank calls MPI: such calls cannot be replayed by the simulator.
void record_thread_call(const runtime::Worker& here, const runtime::Rank& rank, const char* call) {
  if (here.recorder()->records_computing()) {
    here.recorder()->record_thread_call(rank.id, call);
  }
}

}  // namespace

// A rank's timeline has one call stack, that of its own fibre: calls of other threads are not entered.
void Entry::begin() const {
  runtime::Worker& here = *runtime::Worker::current();
  ++here.context()->calls;
  if (here.recorder() == nullptr) {
    return;
  }
  if (runtime::is_thread_call()) {
    record_thread_call(here, *me.rank, call_);
    return;
  }
  const std::uint64_t now = runtime::ticks();
  if (me.callbacks == 0 && here.recorder()->records_computing()) {
    runtime::end_computing(here, *me.rank, now);
  }
  here.recorder()->record_call_begin(me.rank->id, call_, now);
}

namespace {

// Whether the call that ends was made by the program and not by another call. If context.calls_are_counted is false,
// the depth of calls is not known, since the call was under way when threads were allowed on its worker. Then the
// number of callbacks decides.
bool returns_to_program(runtime::ExecutionContext& context) {
  --context.calls;
  return context.calls_are_counted ? context.calls == 0
                                   : static_cast<const RankState*>(context.owner->upper_state)->callbacks == 0;
}

// A program that waits for something that never happens may call these for ever, so they are no sign of progress.
bool is_polling_call(const char* call) {
  constexpr std::array<std::string_view, 7> kPollingCalls{
      "MPI_Test", "MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status", "MPI_Parrived", "MPI_Win_test", "AMPI_Yield"};
  return std::ranges::any_of(
      kPollingCalls, [call](std::string_view name) { return std::strncmp(call, name.data(), name.size()) == 0; });
}

}  // namespace

void Entry::end(const char* call) {
  runtime::Worker& here = *runtime::Worker::current();
  if (calls_are_counted && !is_polling_call(call)) {
    runtime::rank_of(*here.context()->owner).count_completed_call();
  }
  if (here.recorder() != nullptr && !runtime::is_thread_call()) {
    const std::uint64_t now = runtime::ticks();
    here.recorder()->record_call_end(here.running()->id, now);
    if (here.recorder()->records_computing()) {
      runtime::begin_computing(here, runtime::rank_of(*here.running()), now);
    }
  }
  if (returns_to_program(*here.context()) && here.lock() != nullptr) {
    runtime::leave_call();
  }
}

void Entry::abort_inactive() const {
  const char* when = me.finalized ? "after MPI_Finalize" : "before MPI_Init";
  if (me.in_move_callback) {
    when = "in a pup function or a callback around a move, where MPI cannot be used";
  }
  me.rank->job.abort(1, fmt::format("rank {}: {}: called {}", me.world.rank, call_, when));
}

}  // namespace entry
}  // namespace weft::mpi_shim
