// MPI_Open_port, MPI_Comm_accept and MPI_Comm_connect between ranks of one job: a port is named after the rank that
// opened it, and requests wait in that rank's mailbox.
#include <cstdio>
#include <optional>

#include "mpi_shim/assembly.hpp"
#include "mpi_shim/dynamic/meeting.hpp"
#include "mpi_shim/entry.hpp"
#include "mpi_shim/peers.hpp"

using namespace weft::mpi_shim;
namespace runtime = weft::runtime;

namespace {

struct Port {
  int rank = 0;              // of the job
  std::uint32_t number = 0;  // among those the rank has opened
};

std::string name_of(const Port& port) { return fmt::format("weft:port:{}:{}", port.rank, port.number); }

std::optional<Port> port_named(const RankState& me, const char* name) {
  Port port;
  int length = 0;
  const bool parsed = name != nullptr &&
                      std::sscanf(name, "weft:port:%d:%u%n", &port.rank, &port.number, &length) == 2 &&
                      name[length] == '\0';
  return parsed && port.rank >= 0 && port.rank < me.world.size() ? std::optional(port) : std::nullopt;
}

// Tags in the collective context of MPI_COMM_WORLD that nobody else uses: negative, and no wildcard.
int request_tag(const Port& port) { return static_cast<int>(5U << 29 | (port.number & ((1U << 29) - 1))); }

// At the roots: who the other one is, as a rank of the job.
int hear_request(RankState& me, const Port& port) {
  int other = 0;
  runtime::Request request;
  runtime::start_receive(*me.rank, {me.world.collective_context(), runtime::kAnySource, request_tag(port)},
                         {&other, sizeof other}, request);
  wait_message(me, request);
  return other;
}
void make_request(RankState& me, const Port& port) {
  runtime::Request request;
  runtime::start_send(*me.rank, me.rank->job.rank(static_cast<std::uint32_t>(port.rank)),
                      {me.world.collective_context(), me.world.rank, request_tag(port)}, port.rank,
                      {&me.world.rank, sizeof me.world.rank}, runtime::SendMode::standard, request);
  wait_message(me, request);
}

// What the root finds in the port's name; the others hear of it.
constexpr int kNoPort = -1;
constexpr int kNotOurs = -2;
constexpr int kOurs = -3;

int find_other(RankState& me, const char* port_name, bool accepts) {
  const std::optional<Port> port = port_named(me, port_name);
  if (!port || (port->rank == me.world.rank && port->number >= me.ports)) {
    return kNoPort;
  }
  if (accepts) {
    return port->rank == me.world.rank ? hear_request(me, *port) : kNotOurs;
  }
  if (port->rank == me.world.rank) {
    return kOurs;
  }
  make_request(me, *port);
  return port->rank;
}

int refuse_port(const Entry& entry, MPI_Comm comm, int why) {
  if (why == kNotOurs) {
    return entry.raise(comm, MPI_ERR_PORT, "the root has not opened this port: only who opens a port can accept on it");
  }
  if (why == kOurs) {
    return entry.raise(comm, MPI_ERR_PORT, "the root would connect to its own port");
  }
  return entry.raise(comm, MPI_ERR_PORT, "port_name is not the name of a port of this job");
}

int join_at_port(const Entry& entry, const char* port_name, bool accepts, int root, MPI_Comm comm, MPI_Comm* newcomm) {
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
  std::vector<int> other;
  if (local->rank == root) {
    other = {find_other(me, port_name, accepts)};
  }
  share_ints(Peers::within(me, *local, kBirthTag), root, other);
  return other[0] < 0 ? refuse_port(entry, comm, other[0]) : meet_in_world(comm, root, other[0], newcomm);
}

}  // namespace

int weft::mpi_shim::meet_in_world(MPI_Comm comm, int root, int other, MPI_Comm* newcomm) {
  constexpr int kTag = 3 << 28;
  return PMPI_Intercomm_create(comm, root, MPI_COMM_WORLD, other, kTag, newcomm);
}

extern "C" {

int PMPI_Open_port(MPI_Info /*info*/, char* port_name) {
  const Entry entry("MPI_Open_port");
  if (port_name == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "port_name");
  }
  const std::string name = name_of({entry.me.world.rank, entry.me.ports++});
  static_assert(MPI_MAX_PORT_NAME > 64);
  name.copy(port_name, name.size());
  port_name[name.size()] = '\0';
  return MPI_SUCCESS;
}

int PMPI_Close_port(const char* port_name) {
  const Entry entry("MPI_Close_port");
  const std::optional<Port> port = port_named(entry.me, port_name);
  if (!port || port->rank != entry.me.world.rank || port->number >= entry.me.ports) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_PORT, "port_name is not the name of a port that this rank has opened");
  }
  return MPI_SUCCESS;
}

int PMPI_Comm_accept(const char* port_name, MPI_Info /*info*/, int root, MPI_Comm comm, MPI_Comm* newcomm) {
  return join_at_port(Entry("MPI_Comm_accept"), port_name, true, root, comm, newcomm);
}

int PMPI_Comm_connect(const char* port_name, MPI_Info /*info*/, int root, MPI_Comm comm, MPI_Comm* newcomm) {
  return join_at_port(Entry("MPI_Comm_connect"), port_name, false, root, comm, newcomm);
}
}
