#include "mpi_shim/leftovers.hpp"

#include <fmt/format.h>

#include "mpi_shim/datatype.hpp"

namespace weft::mpi_shim {

namespace {

void add_messages(RankState& me, std::vector<std::string>& lines) {
  me.rank->mailbox.for_each_unexpected([&](const runtime::Envelope& message) {
    lines.push_back(fmt::format("a message of {} bytes from rank {} of {}, tag {}, was never received", message.bytes(),
                                message.key.source, me.rank->job.client()->context_name(*me.rank, message.key.context),
                                message.key.tag));
  });
}

void add_comms(RankState& me, std::vector<std::string>& lines) {
  me.comms.for_each(
      [&](const Communicator& comm) { lines.push_back(fmt::format("{} was never freed", describe(comm))); });
}

void add_datatypes(RankState& me, std::vector<std::string>& lines) {
  me.datatypes.for_each([&](const std::shared_ptr<Datatype>& type) {
    lines.push_back(fmt::format("datatype {}of {} bytes was never freed", type->name.empty() ? "" : type->name + " ",
                                type->size()));
  });
}

void add_count(std::size_t live, const char* what, std::vector<std::string>& lines) {
  if (live > 0) {
    lines.push_back(fmt::format("{} {}{} never freed", live, what, live == 1 ? " was" : "s were"));
  }
}

}  // namespace

std::vector<std::string> leftovers(RankState& me) {
  std::vector<std::string> lines;
  add_messages(me, lines);
  for (std::string& line : leaked_requests(me)) {
    lines.push_back(std::move(line));
  }
  add_comms(me, lines);
  add_datatypes(me, lines);
  add_count(me.groups.live(), "group", lines);
  add_count(me.ops.live(), "operation", lines);
  add_count(me.errhandlers.live(), "error handler", lines);
  add_count(me.infos.live(), "info object", lines);
  return lines;
}

}  // namespace weft::mpi_shim
