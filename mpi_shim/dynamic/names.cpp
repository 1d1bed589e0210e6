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

constexpr ProcessId kKeeper{0};

enum class Ask : std::uint8_t { publish, unpublish, look_up };

// A question to the keeper, or its answer.
struct NamesText {
  Ask ask{};
  bool answers = false;
  bool yes = false;
  std::uint64_t question = 0;  // the asking rank's Question
  std::string service, port;
  void pup(pup::Puper& p) { p | ask | answers | yes | question | service | port; }
};

struct Question {
  runtime::Request over;
  bool yes = false;
  std::string port;
};

// Whether it can be done; a look-up finds the port.
bool act(PublishedNames& names, Ask ask, const std::string& service, std::string& port) {
  if (ask == Ask::publish) {
    return names.publish(service, port);
  }
  if (ask == Ask::unpublish) {
    return names.unpublish(service, port);
  }
  const std::optional<std::string> found = names.look_up(service);
  port = found.value_or("");
  return found.has_value();
}

void send(const runtime::Job& job, ProcessId to, NamesText& text) {
  constexpr std::size_t kRoom = sizeof(runtime::WireHead);
  const std::vector<std::byte> body = pup::pack(text);
  std::array<std::byte, kRoom + sizeof kNamesWord> head;
  std::memcpy(head.data() + kRoom, &kNamesWord, sizeof kNamesWord);
  job.cluster().activate(to, head, body);
}

bool ask_keeper(const Entry& entry, Ask ask, const char* service, std::string& port) {
  const runtime::Job& job = entry.me.rank->job;
  auto& names = process_part<PublishedNames>(job);
  if (job.process() == kKeeper) {
    return act(names, ask, service, port);
  }
  Question question;
  runtime::start_event(*entry.me.rank, 0, {}, question.over);
  names.add_question(&question);
  // Looked at once end_questions() would find the question. With the keeper the names are gone.
  if (job.cluster().loses_processes && job.cluster().is_lost(kKeeper) && names.take_question(&question)) {
    return false;
  }
  NamesText text{ask, false, false, reinterpret_cast<std::uint64_t>(&question), service, port};
  send(job, kKeeper, text);
  wait_message(entry.me, question.over);
  port = question.port;
  return question.yes;
}

// MPI_SUCCESS, or the error that was raised. A name must fit a message.
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
  if (!ask_keeper(entry, Ask::publish, service_name, port)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_SERVICE, "service {} is published already", service_name);
  }
  return MPI_SUCCESS;
}

int unpublish_name(const Entry& entry, const char* service_name, MPI_Info /*info*/, const char* port_name) {
  if (const int error = check_both(entry, service_name, port_name); error != MPI_SUCCESS) {
    return error;
  }
  std::string port = port_name;
  if (!ask_keeper(entry, Ask::unpublish, service_name, port)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_SERVICE, "service {} is not published with this port", service_name);
  }
  return MPI_SUCCESS;
}

int lookup_name(const Entry& entry, const char* service_name, MPI_Info /*info*/, char* port_name) {
  if (const int error = check(entry, "service_name", service_name); error != MPI_SUCCESS || port_name == nullptr) {
    return error != MPI_SUCCESS ? error : entry.null_argument(MPI_COMM_NULL, "port_name");
  }
  std::string port;
  if (!ask_keeper(entry, Ask::look_up, service_name, port)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_NAME, "service {} is not published", service_name);
  }
  port.copy(port_name, MPI_MAX_PORT_NAME - 1);
  port_name[std::min<std::size_t>(port.size(), MPI_MAX_PORT_NAME - 1)] = '\0';
  return MPI_SUCCESS;
}

}  // namespace

void serve_names(runtime::Job& job, ProcessId from, std::span<const std::byte> text) {
  NamesText said;
  pup::unpack(text.subspan(sizeof kNamesWord), said);
  if (!said.answers) {
    said.yes = act(process_part<PublishedNames>(job), said.ask, said.service, said.port);
    said.answers = true;
    send(job, from, said);
    return;
  }
  auto& question = *reinterpret_cast<Question*>(said.question);
  if (!process_part<PublishedNames>(job).take_question(&question)) {
    return;
  }
  question.yes = said.yes;
  question.port = said.port;
  runtime::finish_event(question.over);
}

void end_questions(runtime::Job& job, ProcessId dead) {
  if (dead == kKeeper) {
    for (void* const question : process_part<PublishedNames>(job).take_questions()) {
      runtime::finish_event(static_cast<Question*>(question)->over);
    }
  }
}

}  // namespace dynamic
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/dynamic/names.inc"
