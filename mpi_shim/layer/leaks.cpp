#include "mpi_shim/layer/leaks.hpp"

#include <fmt/format.h>

#include "mpi_shim/datatype/datatype_f90.hpp"
#include "mpi_shim/request/completion.hpp"
#include "mpi_shim/state/leak_report.hpp"

namespace weft::mpi_shim {
inline namespace layer {

namespace {

void add_messages(RankState& me, std::vector<std::string>& lines) {
  me.rank->mailbox.for_each_unexpected([&](const runtime::Envelope& message) {
    lines.push_back(fmt::format(
        "a message of {} bytes from rank {} of {}, tag {}, was never received", message.bytes(), message.key.source,
        me.rank->job.upper_layer()->context_name(*me.rank, message.key.context), message.key.tag));
  });
}

void add_comms(RankState& me, std::vector<std::string>& lines) {
  me.comms.for_each([&](const Communicator& comm) {
    if (comm.handle != me.parent) {
      lines.push_back(fmt::format("{} was never freed", describe(comm)));
    }
  });
}

void add_datatypes(RankState& me, std::vector<std::string>& lines) {
  me.datatypes.for_each([&](const std::shared_ptr<Datatype>& type) {
    if (is_f90(type->recipe())) {
      return;
    }
    lines.push_back(fmt::format("datatype {}of {} bytes was never freed", type->name.empty() ? "" : type->name + " ",
                                type->size()));
  });
}

}  // namespace

std::vector<std::string> leaks_of(RankState& me) {
  std::vector<std::string> lines;
  add_messages(me, lines);
  for (std::string& line : leaked_requests(me)) {
    lines.push_back(std::move(line));
  }
  add_comms(me, lines);
  add_datatypes(me, lines);
  add_unfreed(lines, me.groups.live(), "group");
  add_unfreed(lines, me.ops.live(), "operation");
  for (const std::unique_ptr<RankPart>& part : me.parts) {
    part->report_leaks(lines);
  }
  return lines;
}

}  // namespace layer
}  // namespace weft::mpi_shim
