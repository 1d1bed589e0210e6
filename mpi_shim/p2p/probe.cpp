// MPI_Probe, MPI_Mprobe and their like.
#include "mpi_shim/p2p/probe.hpp"

#include "mpi_shim/entry/failure_errors.hpp"
#include "mpi_shim/entry/traced_calls.hpp"
#include "mpi_shim/p2p/point_to_point.hpp"
#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/request/status.hpp"
#include "runtime/p2p/envelope.hpp"
#include "runtime/p2p/failed_requests.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::mpi_shim {
inline namespace p2p {

void MatchedMessages::pup(pup::Puper& p, RankState& me) {
  table.pup(p, [&](MessageHandle& message) { message.pup(p, *me.rank); });
}

void MatchedMessages::add_leaks(const Creations& creations, std::vector<Leak>& leaks) const {
  add_unfreed(leaks, table, creations, "matched message never received");
}

void MessageHandle::give_up(runtime::Worker& here, runtime::Failure why) {
  runtime::discard_message(here, *message, why);
  message = nullptr;
  failure = why;
}

void give_up_matched(RankState& me, runtime::Worker& here, std::uint32_t notices) {
  me.part<MatchedMessages>().table.for_each([&](MessageHandle& taken) {
    if (taken.message != nullptr) {
      runtime::Job& job = me.rank->job;
      if (const auto why = job.upper_layer()->message_failure(job, taken.message->key, notices);
          why != runtime::Failure::none) {
        taken.give_up(here, why);
      }
    }
  });
}

namespace {

// The arguments of an empty receive with this pattern, so that probes have the checks of receives.
MessageArguments pattern_of(int source, int tag, MPI_Comm comm) { return {nullptr, 0, MPI_BYTE, source, tag, comm}; }

// A probe from MPI_PROC_NULL: finds an empty message at once.
int probe_null(const Entry& entry, const MessageArguments& call, int* flag, MPI_Message* message, MPI_Status* status) {
  if (const int error = refuse_receive(entry, call); error != MPI_SUCCESS) {
    return error;
  }
  if (flag != nullptr) {
    *flag = 1;
  }
  if (message != nullptr) {
    *message = MPI_MESSAGE_NO_PROC;
  }
  if (status != MPI_STATUS_IGNORE) {
    fill_status(*status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
  }
  return MPI_SUCCESS;
}

void set_status(const runtime::Probed& found, MPI_Status* status) {
  if (status != MPI_STATUS_IGNORE) {
    fill_status(*status, found.key.source, found.key.tag, found.bytes);
  }
}

MPI_Message add_message(RankState& me, runtime::Envelope* message, MPI_Comm comm) {
  return me.part<MatchedMessages>().table.add<MPI_Message>(
      std::make_unique<MessageHandle>(MessageHandle{message, comm}));
}

// Why no message can come, if none is there; Failure::none if one may come.
runtime::Failure failure_of_probe(const RankState& me, const runtime::MatchKey& pattern) {
  runtime::Job& job = me.rank->job;
  return job.failures() == nullptr ? runtime::Failure::none : job.upper_layer()->receive_failure(*me.rank, pattern);
}

// Suspends until a message is there; the result is as of failure_of_probe(). Polls if the rank has pending operations,
// so that these make progress.
runtime::Failure wait_for_message(RankState& me, const runtime::MatchKey& pattern, runtime::Probed& found) {
  for (;;) {
    if (runtime::probe(*me.rank, pattern, found)) {
      return runtime::Failure::none;
    }
    if (const auto why = failure_of_probe(me, pattern); why != runtime::Failure::none) [[unlikely]] {
      return why;
    }
    if (!me.requests.operations.empty()) {
      make_progress(me);
    } else if (runtime::wait_probe(*me.rank, pattern, found)) {
      return runtime::Failure::none;
    }
  }
}

[[gnu::noinline, gnu::cold]] int raise_failure_of_probe(const Entry& entry, MPI_Comm comm,
                                                        const runtime::MatchKey& pattern) {
  const runtime::Failure why = failure_of_probe(entry.me, pattern);
  return why == runtime::Failure::none ? MPI_SUCCESS : raise_failure(entry, comm, why);
}

// Probes once, and if nothing is there once more after other ranks have run, because programs spin on MPI_Iprobe.
bool look_for_message(RankState& me, const runtime::MatchKey& pattern, runtime::Probed& found) {
  if (runtime::probe(*me.rank, pattern, found)) {
    return true;
  }
  make_progress(me);
  return runtime::probe(*me.rank, pattern, found);
}

int receive_taken(const Entry& entry, const MessageArguments& call, MPI_Message* message, runtime::Request& request) {
  if (*message == MPI_MESSAGE_NO_PROC) {
    complete_null_receive(request);
  } else {
    const std::unique_ptr<MessageHandle> taken = entry.me.part<MatchedMessages>().table.remove(*message);
    if (taken->message != nullptr && entry.me.rank->job.failures() != nullptr) [[unlikely]] {
      if (const auto why = known_failure(entry.me, taken->message->key); why != runtime::Failure::none) {
        taken->give_up(*runtime::Worker::current(), why);
      }
    }
    if (taken->message == nullptr) [[unlikely]] {
      request.reset(*entry.me.rank, runtime::Request::Kind::receive, {}, {});
      complete_failed(taken->failure, request);
      *message = MPI_MESSAGE_NULL;
      return MPI_SUCCESS;
    }
    const Datatype& type = *find_datatype(entry.me, call.datatype);
    runtime::receive_matched(*entry.me.rank, *taken->message,
                             message_buffer(call.address, static_cast<std::size_t>(call.count), type), request);
  }
  *message = MPI_MESSAGE_NULL;
  return MPI_SUCCESS;
}

// Checks a matched receive; fills in call.comm.
int check_matched(const Entry& entry, MessageArguments& call, const MPI_Message* message) {
  if (message == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "message");
  }
  call.comm = MPI_COMM_SELF;
  if (*message != MPI_MESSAGE_NO_PROC) {
    const MessageHandle* const taken = entry.me.part<MatchedMessages>().table.find(*message);
    if (taken == nullptr) {
      return entry.raise(MPI_COMM_NULL, MPI_ERR_REQUEST, "message is not a message of this rank");
    }
    // If the communicator has been freed, errors go to the error handler of MPI_COMM_SELF.
    call.comm = find_comm(entry.me, taken->comm) != nullptr ? taken->comm : MPI_COMM_SELF;
  }
  return refuse_buffer(entry, call);
}

int receive_matched(const Entry& entry, MessageArguments call, MPI_Message* message, MPI_Status* status) {
  if (const int error = check_matched(entry, call, message); error != MPI_SUCCESS) {
    return error;
  }
  runtime::Request request;
  receive_taken(entry, call, message, request);
  wait_message(entry.me, request);
  if (request.failure != runtime::Failure::none) [[unlikely]] {
    return raise_failure(entry, call.comm, request.failure);
  }
  trace_received(entry.me, call, request);
  if (status != MPI_STATUS_IGNORE) {
    fill_status(*status, request.key.source, request.key.tag, request.bytes);
  }
  return request.truncated ? report_truncation(entry, call.comm, request) : MPI_SUCCESS;
}

int start_matched(const Entry& entry, MessageArguments call, MPI_Message* message, MPI_Request* request) {
  if (const int error = check_matched(entry, call, message); error != MPI_SUCCESS) {
    return error;
  }
  PendingRequest& pending = entry.me.requests.acquire();
  pending.comm = call.comm;
  pending.type = keep_alive(*find_datatype(entry.me, call.datatype));
  *request = pending.handle;
  trace_request(entry.me, trace::EventKind::start_receive, *request);
  return receive_taken(entry, call, message, pending.message);
}

int probe(const Entry& entry, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const MessageArguments call = pattern_of(source, tag, comm);
  CheckedMessage checked;
  if (!checked.checks_as_receive(entry.me, call)) {
    return probe_null(entry, call, nullptr, nullptr, status);
  }
  if (checked.is_revoked()) [[unlikely]] {
    return raise_failure(entry, comm, runtime::Failure::revoked);
  }
  runtime::Probed found;
  if (const auto why = wait_for_message(entry.me, checked.receive_key(call), found); why != runtime::Failure::none) {
    return raise_failure(entry, comm, why);
  }
  set_status(found, status);
  return MPI_SUCCESS;
}

int iprobe(const Entry& entry, int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  const MessageArguments call = pattern_of(source, tag, comm);
  CheckedMessage checked;
  if (!checked.checks_as_receive(entry.me, call)) {
    return probe_null(entry, call, flag, nullptr, status);
  }
  if (checked.is_revoked()) [[unlikely]] {
    return raise_failure(entry, comm, runtime::Failure::revoked);
  }
  runtime::Probed found;
  const runtime::MatchKey pattern = checked.receive_key(call);
  *flag = look_for_message(entry.me, pattern, found) ? 1 : 0;
  if (*flag == 0) {
    return checked.is_impaired() ? raise_failure_of_probe(entry, comm, pattern) : MPI_SUCCESS;
  }
  set_status(found, status);
  return MPI_SUCCESS;
}

int mprobe(const Entry& entry, int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  const MessageArguments call = pattern_of(source, tag, comm);
  CheckedMessage checked;
  if (!checked.checks_as_receive(entry.me, call)) {
    return probe_null(entry, call, nullptr, message, status);
  }
  if (checked.is_revoked()) [[unlikely]] {
    return raise_failure(entry, comm, runtime::Failure::revoked);
  }
  const runtime::MatchKey pattern = checked.receive_key(call);
  runtime::Probed found;
  if (const auto why = wait_for_message(entry.me, pattern, found); why != runtime::Failure::none) {
    return raise_failure(entry, comm, why);
  }
  *message = add_message(entry.me, runtime::match(*entry.me.rank, pattern, found), comm);
  set_status(found, status);
  return MPI_SUCCESS;
}

int improbe(const Entry& entry, int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
            MPI_Status* status) {
  const MessageArguments call = pattern_of(source, tag, comm);
  CheckedMessage checked;
  if (!checked.checks_as_receive(entry.me, call)) {
    return probe_null(entry, call, flag, message, status);
  }
  if (checked.is_revoked()) [[unlikely]] {
    return raise_failure(entry, comm, runtime::Failure::revoked);
  }
  const runtime::MatchKey pattern = checked.receive_key(call);
  runtime::Probed found;
  *flag = look_for_message(entry.me, pattern, found) ? 1 : 0;
  if (*flag == 0) {
    return checked.is_impaired() ? raise_failure_of_probe(entry, comm, pattern) : MPI_SUCCESS;
  }
  *message = add_message(entry.me, runtime::match(*entry.me.rank, pattern, found), comm);
  set_status(found, status);
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace p2p
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/p2p/probe.inc"
