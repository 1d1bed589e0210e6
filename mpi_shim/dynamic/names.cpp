#include "mpi_shim/dynamic/names.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "mpi_shim/dynamic/published_names.hpp"
#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/state/process_state.hpp"
#include "runtime/control/cluster.hpp"
#include "runtime/p2p/point_to_point.hpp"

namespace weft::mpi_shim {
inline namespace dynamic {
namespace {

constexpr ProcessId kNameServer{0};

enum class NameOperation : std::uint8_t { publish, unpublish, look_up };

// A query to the name server, or its reply.
struct NameMessage {
  NameOperation operation{};
  bool is_reply = false;
  bool succeeded = false;
  std::uint64_t query = 0;  // the address of the asking rank's PendingQuery
  std::string service, port;
  void pup(pup::Puper& p) { p | operation | is_reply | succeeded | query | service | port; }
};

struct PendingQuery {
  runtime::Request over;
  bool succeeded = false;
  std::string port;
};

// Whether the operation succeeded. A look-up sets `port`.
bool execute(PublishedNames& names, NameOperation operation, const std::string& service, std::string& port) {
  if (operation == NameOperation::publish) {
    return names.publish(service, port);
  }
  if (operation == NameOperation::unpublish) {
    return names.unpublish(service, port);
  }
  const std::optional<std::string> found = names.look_up(service);
  port = found.value_or("");
  return found.has_value();
}

void send(const runtime::Job& job, ProcessId to, NameMessage& message) {
  constexpr std::size_t kRoom = sizeof(runtime::WireHead);
  const std::vector<std::byte> body = pup::pack(message);
  std::array<std::byte, kRoom + sizeof kNameMessageId> head;
  std::memcpy(head.data() + kRoom, &kNameMessageId, sizeof kNameMessageId);
  job.cluster().send_active_message(to, head, body);
}

bool ask_name_server(const Entry& entry, NameOperation operation, const char* service, std::string& port) {
  const runtime::Job& job = entry.me.rank->job;
  auto& names = process_part<PublishedNames>(job);
  if (job.process() == kNameServer) {
    return execute(names, operation, service, port);
  }
  PendingQuery query;
  runtime::start_event(*entry.me.rank, 0, {}, query.over);
  names.add_query(&query);
  // Checked only after add_query(), so that fail_queries() finds every query that passes the check. When the name
  // server is lost, so are the names.
  if (job.cluster().loses_processes && job.cluster().is_lost(kNameServer) && names.take_query(&query)) {
    return false;
  }
  NameMessage message{operation, false, false, reinterpret_cast<std::uint64_t>(&query), service, port};
  send(job, kNameServer, message);
  wait_message(entry.me, query.over);
  port = query.port;
  return query.succeeded;
}

// MPI_SUCCESS, or the raised error when the name is null or too long.
int check(const Entry& entry, const char* argument, const char* name) {
  if (name == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, argument);
  }
  const std::size_t length = std::strlen(name);
  return length < MPI_MAX_PORT_NAME
             ? MPI_SUCCESS
             : entry.raise(MPI_COMM_NULL, MPI_ERR_SERVICE, "{} has {} characters, more than MPI_MAX_PORT_NAME - 1",
                           argument, length);
}
int check_both(const Entry& entry, const char* service_name, const char* port_name) {
  const int error = check(entry, "service_name", service_name);
  return error != MPI_SUCCESS ? error : check(entry, "port_name", port_name);
}

int publish_name(const Entry& entry, const char* service_name, MPI_Info /*info*/, const char* port_name) {
  if (const int error = check_both(entry, service_name, port_name); error != MPI_SUCCESS) {
    return error;
  }
  std::string port = port_name;
  if (!ask_name_server(entry, NameOperation::publish, service_name, port)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_SERVICE, "service {} is published already", service_name);
  }
  return MPI_SUCCESS;
}

int unpublish_name(const Entry& entry, const char* service_name, MPI_Info /*info*/, const char* port_name) {
  if (const int error = check_both(entry, service_name, port_name); error != MPI_SUCCESS) {
    return error;
  }
  std::string port = port_name;
  if (!ask_name_server(entry, NameOperation::unpublish, service_name, port)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_SERVICE, "service {} is not published with this port", service_name);
  }
  return MPI_SUCCESS;
}

int lookup_name(const Entry& entry, const char* service_name, MPI_Info /*info*/, char* port_name) {
  if (const int error = check(entry, "service_name", service_name); error != MPI_SUCCESS || port_name == nullptr) {
    return error != MPI_SUCCESS ? error : entry.null_argument(MPI_COMM_NULL, "port_name");
  }
  std::string port;
  if (!ask_name_server(entry, NameOperation::look_up, service_name, port)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_NAME, "service {} is not published", service_name);
  }
  port.copy(port_name, MPI_MAX_PORT_NAME - 1);
  port_name[std::min<std::size_t>(port.size(), MPI_MAX_PORT_NAME - 1)] = '\0';
  return MPI_SUCCESS;
}

}  // namespace

void serve_names(runtime::Job& job, ProcessId from, std::span<const std::byte> bytes) {
  NameMessage message;
  pup::unpack(bytes.subspan(sizeof kNameMessageId), message);
  if (!message.is_reply) {
    message.succeeded = execute(process_part<PublishedNames>(job), message.operation, message.service, message.port);
    message.is_reply = true;
    send(job, from, message);
    return;
  }
  auto& query = *reinterpret_cast<PendingQuery*>(message.query);
  if (!process_part<PublishedNames>(job).take_query(&query)) {
    return;
  }
  query.succeeded = message.succeeded;
  query.port = message.port;
  runtime::finish_event(query.over);
}

void fail_queries(runtime::Job& job, ProcessId dead) {
  if (dead == kNameServer) {
    for (void* const query : process_part<PublishedNames>(job).take_queries()) {
      runtime::finish_event(static_cast<PendingQuery*>(query)->over);
    }
  }
}

}  // namespace dynamic
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/dynamic/names.inc"
