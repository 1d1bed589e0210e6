// MPI_Open_port, MPI_Comm_accept and MPI_Comm_connect between ranks of one job. A port's name contains the rank that
// opened it, and connect requests wait in that rank's mailbox.
#include "mpi_shim/dynamic/ports.hpp"

#include <cstdio>
#include <optional>

#include "mpi_shim/comm/assembly.hpp"
#include "mpi_shim/comm/comm_failures.hpp"
#include "mpi_shim/comm/join_groups.hpp"
#include "mpi_shim/comm/peers.hpp"
#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/entry/failure_errors.hpp"
#include "mpi_shim/request/progress.hpp"
#include "runtime/sched/worker.hpp"

using namespace weft::mpi_shim;
namespace runtime = weft::runtime;

namespace {

struct Port {
  int rank = 0;              // of the job
  std::uint32_t number = 0;  // counts the rank's ports
};

std::string name_of(const Port& port) { return fmt::format("weft:port:{}:{}", port.rank, port.number); }

// Whether `number` is a rank of the job, or was one: messages to a rank that has ended are never received.
bool is_rank(const runtime::Job& job, int number) {
  const auto rank = static_cast<std::uint32_t>(number);
  return number >= 0 && (rank < job.rank_count() || (rank < job.universe() && job.rank(rank).world != nullptr));
}

std::optional<Port> port_named(const RankState& me, const char* name) {
  Port port;
  int length = 0;
  const bool parsed = name != nullptr &&
                      std::sscanf(name, "weft:port:%d:%u%n", &port.rank, &port.number, &length) == 2 &&
                      name[length] == '\0';
  return parsed && is_rank(me.rank->job, port.rank) ? std::optional(port) : std::nullopt;
}

// Tags in the universe's context that nothing else uses: negative, but not MPI_ANY_TAG.
int connect_tag(const Port& port) { return static_cast<int>(5U << 29 | (port.number & ((1U << 29) - 1))); }

constexpr std::uint32_t kConnectContext = 2 * kUniverseContext;

constexpr runtime::MonotonicTime kPollInterval = 1'000'000;  // nanoseconds

// At the accepting root: waits for a connect request. Returns the connecting root's rank in the job.
int receive_connect_request(RankState& me, const Communicator& local, const Port& port) {
  int other = 0;
  runtime::Request request;
  runtime::start_receive(*me.rank, {kConnectContext, runtime::kAnySource, connect_tag(port)}, {&other, sizeof other},
                         request);
  // The request comes from outside of the local communicator, so a failure of that communicator does not end this
  // receive: polls for such a failure.
  while (me.rank->job.failures() != nullptr && !request.done) {
    if (const auto why = failure_of_collective(local);
        why != runtime::Failure::none && runtime::cancel_receive(*me.rank, request)) {
      throw CallFailed{why};
    }
    make_progress(me);
    runtime::Worker::current()->sleep_until(runtime::monotonic_now() + kPollInterval);
  }
  wait_message(me, request);
  return other;
}
void send_connect_request(RankState& me, const Port& port) {
  runtime::Request request;
  request.prepare_send(*me.rank, {kConnectContext, me.job_rank, connect_tag(port)}, port.rank,
                       {&me.job_rank, sizeof me.job_rank});
  runtime::start_send(me.rank->job.rank(static_cast<std::uint32_t>(port.rank)), runtime::SendMode::standard, request);
  wait_message(me, request);
  if (request.failure != runtime::Failure::none) [[unlikely]] {
    throw CallFailed{request.failure};
  }
}

// The port of an MPI_Comm_accept or MPI_Comm_connect.
struct PortSide {
  const char* port_name;
  bool accepts;
};

// The root broadcasts the remote root's rank in the job, or one of these errors.
constexpr int kNoPort = -1;
constexpr int kNotOpenedByRoot = -2;
constexpr int kPortOfOwnGroup = -3;

int find_remote_root(RankState& me, const Communicator& local, const PortSide& side) {
  const std::optional<Port> port = port_named(me, side.port_name);
  if (!port || (port->rank == me.job_rank && port->number >= me.part<OpenedPorts>().count)) {
    return kNoPort;
  }
  if (side.accepts) {
    return port->rank == me.job_rank ? receive_connect_request(me, local, *port) : kNotOpenedByRoot;
  }
  if (local.shared->group->rank_of(port->rank) != MPI_UNDEFINED) {
    return kPortOfOwnGroup;
  }
  send_connect_request(me, *port);
  return port->rank;
}

int raise_port_error(const Entry& entry, MPI_Comm comm, int why) {
  if (why == kNotOpenedByRoot) {
    return entry.raise(comm, MPI_ERR_PORT, "the root has not opened this port: only who opens a port can accept on it");
  }
  if (why == kPortOfOwnGroup) {
    return entry.raise(comm, MPI_ERR_PORT, "the group would connect to a port of its own");
  }
  return entry.raise(comm, MPI_ERR_PORT, "port_name is not the name of a port of this job");
}

int join_at_port(const Entry& entry, const PortSide& side, int root, MPI_Comm comm, MPI_Comm* newcomm) {
  RankState& me = entry.me;
  const Communicator* const local = find_comm(me, comm);
  if (local == nullptr || newcomm == nullptr) {
    return local == nullptr ? entry.bad_comm(comm) : entry.null_argument(comm, "newcomm");
  }
  if (local->is_inter()) {
    return entry.raise(comm, MPI_ERR_COMM, "comm is an intercommunicator");
  }
  if (root < 0 || root >= local->size()) {
    return entry.raise(comm, MPI_ERR_ROOT, "root {} is not a rank of comm (0..{})", root, local->size() - 1);
  }
  require_no_failure(*local);
  std::vector<int> other;
  if (local->rank == root) {
    other = {find_remote_root(me, *local, side)};
  }
  broadcast_ints(Peers::within(me, *local, kCommCreationTag), root, other);
  if (other[0] < 0) {
    return raise_port_error(entry, comm, other[0]);
  }
  *newcomm = join_in_job(me, *local, root, other[0]);
  return MPI_SUCCESS;
}

int open_port(const Entry& entry, MPI_Info /*info*/, char* port_name) {
  const std::string name = name_of({entry.me.job_rank, entry.me.part<OpenedPorts>().count++});
  static_assert(MPI_MAX_PORT_NAME > 64);
  name.copy(port_name, name.size());
  port_name[name.size()] = '\0';
  return MPI_SUCCESS;
}

int close_port(const Entry& entry, const char* port_name) {
  const std::optional<Port> port = port_named(entry.me, port_name);
  if (!port || port->rank != entry.me.job_rank || port->number >= entry.me.part<OpenedPorts>().count) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_PORT, "port_name is not the name of a port that this rank has opened");
  }
  return MPI_SUCCESS;
}

}  // namespace

#include "mpi_shim/generated/dynamic/ports.inc"
