#include "mpi_shim/layer/leaks.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "mpi_shim/datatype/datatype_f90.hpp"
#include "mpi_shim/p2p/partitioned/handshake.hpp"
#include "mpi_shim/request/completion.hpp"

namespace weft::mpi_shim {
inline namespace layer {

namespace {

void add_messages(RankState& me, std::vector<Leak>& leaks) {
  me.rank->mailbox.for_each_unexpected([&](const runtime::Envelope& message) {
    const std::uint32_t context = message.key.context;
    const std::string comm = me.rank->job.upper_layer()->context_name(*me.rank, context);
    if ((context & kPartitionedContext) != 0) {
      leaks.push_back({fmt::format("message of a partitioned send on {} never received", comm)});
    } else if ((context & kScheduleContext) != 0 || context % 2 != 0) {
      leaks.push_back(
          {fmt::format("message of a collective call on {} never received: its members passed arguments "
                       "that do not match, or not all of them have called it",
                       comm)});
    } else {
      leaks.push_back({.what = fmt::format("message on {} never received", comm),
                       .message = {{message.bytes(), message.key.source, message.key.tag}}});
    }
  });
}

void add_comms(RankState& me, std::vector<Leak>& leaks) {
  me.comms.for_each([&](const Communicator& comm) {
    if (comm.handle != me.parent && !comm.is_internal) {
      leaks.push_back({"communicator never freed", creation_of(me.creations, comm.handle), comm.name});
    }
  });
}

void add_datatypes(RankState& me, std::vector<Leak>& leaks) {
  me.datatypes.for_each([&](const std::shared_ptr<Datatype>& type) {
    if (!is_f90(type->recipe())) {
      leaks.push_back({"datatype never freed", creation_of(me.creations, type->handle),
                       type->name.empty() ? fmt::format("{} bytes", type->size()) : type->name});
    }
  });
}

}  // namespace

std::vector<Leak> leaks_of(RankState& me) {
  std::vector<Leak> leaks;
  add_messages(me, leaks);
  add_leaked_requests(me, leaks);
  add_comms(me, leaks);
  add_datatypes(me, leaks);
  add_unfreed(leaks, me.groups, me.creations, "group never freed");
  add_unfreed(leaks, me.ops, me.creations, "operation never freed");
  for (const std::unique_ptr<RankPart>& part : me.parts) {
    part->add_leaks(me.creations, leaks);
  }
  return leaks;
}

}  // namespace layer
}  // namespace weft::mpi_shim
