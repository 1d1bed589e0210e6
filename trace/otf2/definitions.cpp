#include "trace/otf2/definitions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "trace/otf2/location.hpp"

namespace weft::trace::otf2 {
namespace {

constexpr const char* kWrite = "write a definition";

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return text.find(part) != text.npos; });
}

OTF2_RegionRole role_of_collective(OTF2_CollectiveOp operation) {
  switch (operation) {
    case OTF2_COLLECTIVE_OP_BARRIER:
      return OTF2_REGION_ROLE_BARRIER;
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
      return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_REDUCE:
      return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case OTF2_COLLECTIVE_OP_SCAN:
    case OTF2_COLLECTIVE_OP_EXSCAN:
      return OTF2_REGION_ROLE_COLL_OTHER;
    default:
      return OTF2_REGION_ROLE_COLL_ALL2ALL;
  }
}

OTF2_RegionRole role_of(std::string_view call) {
  if (!call.starts_with("MPI_")) {
    return OTF2_REGION_ROLE_FUNCTION;
  }
  if (const auto operation = operation_of(call); operation) {
    return role_of_collective(*operation);
  }
  if (call.starts_with("MPI_File_")) {
    return OTF2_REGION_ROLE_FILE_IO;
  }
  if (call.starts_with("MPI_Win_") || contains_any(call, {"ccumulate", "MPI_Put", "MPI_Get_c", "MPI_Rput", "MPI_Rget",
                                                          "Fetch_and_op", "Compare_and_swap"})) {
    return OTF2_REGION_ROLE_RMA;
  }
  if (contains_any(call, {"eighbor", "Comm_dup", "Comm_split", "Comm_create", "Migrate"})) {
    return OTF2_REGION_ROLE_COLL_OTHER;
  }
  return contains_any(call, {"send", "Send", "recv", "Recv", "robe", "Wait", "Test", "Start", "Pready", "Parrived"})
             ? OTF2_REGION_ROLE_POINT2POINT
             : OTF2_REGION_ROLE_FUNCTION;
}

class Definitions {
 public:
  Definitions(Archive& archive, const Contents& contents, const std::vector<ProcessFiles>& parts)
      : contents_(contents), parts_(parts), out_(archive.definitions(contents.rank_count() + 1)) {}

  void write() {
    write_clock();
    text("");  // number 0
    write_metric(kWorkerMetric, "worker", "number of the worker that the rank is on", "");
    write_metric(kImbalanceMetric, "imbalance", "the largest load of a worker above the mean, at a step", "%");
    write_regions();
    write_tree();
    write_locations();
    write_comms();
  }

 private:
  OTF2_StringRef text(const std::string& value) {
    const auto before = static_cast<OTF2_StringRef>(texts_.texts().size());
    const OTF2_StringRef number = texts_.intern(value);
    if (number == before) {
      must(OTF2_GlobalDefWriter_WriteString(out_, number, value.c_str()), kWrite);
    }
    return number;
  }

  void write_clock() {
    const Clock& clock = parts_.front().clock;
    const double rate = ticks_per_nanosecond(clock);
    const std::uint64_t first = std::min(contents_.first_time, contents_.last_time);
    const auto since = static_cast<double>(static_cast<std::int64_t>(first - clock.begin.ticks)) / rate;
    must(OTF2_GlobalDefWriter_WriteClockProperties(
             out_, static_cast<std::uint64_t>(std::llround(rate * 1e9)), first, contents_.last_time - first,
             static_cast<std::uint64_t>(clock.begin.nanoseconds + std::llround(since))),
         kWrite);
  }

  void write_metric(OTF2_MetricRef number, const char* name, const char* what, const char* unit) {
    must(OTF2_GlobalDefWriter_WriteMetricMember(out_, number, text(name), text(what), OTF2_METRIC_TYPE_OTHER,
                                                OTF2_METRIC_ABSOLUTE_NEXT, OTF2_TYPE_INT64, OTF2_BASE_DECIMAL, 0,
                                                text(unit)),
         kWrite);
    must(OTF2_GlobalDefWriter_WriteMetricClass(out_, number, 1, &number, OTF2_METRIC_ASYNCHRONOUS,
                                               OTF2_RECORDER_KIND_ABSTRACT),
         kWrite);
  }

  void write_region(OTF2_RegionRef number, const std::string& name, OTF2_RegionRole role, OTF2_Paradigm paradigm) {
    const OTF2_StringRef called = text(name);
    must(OTF2_GlobalDefWriter_WriteRegion(out_, number, called, called, text(""), role, paradigm, OTF2_REGION_FLAG_NONE,
                                          text(""), 0, 0),
         kWrite);
  }

  void write_regions() {
    must(OTF2_GlobalDefWriter_WriteParadigm(out_, OTF2_PARADIGM_MPI, text("MPI"), OTF2_PARADIGM_CLASS_PROCESS), kWrite);
    write_region(kProgramRegion, "program", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER);
    write_region(kStepRegion, "balancing step", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_NONE);
    OTF2_RegionRef number = kFirstRegion;
    for (const std::string& name : contents_.calls.texts()) {
      write_region(number++, name, role_of(name), name.starts_with("MPI_") ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_NONE);
    }
  }

  void write_node(OTF2_SystemTreeNodeRef number, const std::string& name, const char* kind,
                  OTF2_SystemTreeNodeRef above, OTF2_SystemTreeDomain domain) {
    must(OTF2_GlobalDefWriter_WriteSystemTreeNode(out_, number, text(name), text(kind), above), kWrite);
    must(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(out_, number, domain), kWrite);
  }

  // The job, its hosts, their processes.
  void write_tree() {
    write_node(0, "job", "machine", OTF2_UNDEFINED_SYSTEM_TREE_NODE, OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
    std::map<std::uint32_t, OTF2_SystemTreeNodeRef> hosts;
    OTF2_SystemTreeNodeRef next = 1;
    for (std::size_t process = 0; process < parts_.size(); ++process) {
      const auto [host, is_new] = hosts.try_emplace(parts_[process].clock.host, next);
      if (is_new) {
        write_node(next++, parts_[process].host_name, "node", 0, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
      }
      processes_.push_back(next);
      write_node(next++, "process " + std::to_string(process), "process", host->second,
                 OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
    }
  }

  // Tools treat a location group as an MPI process, so each rank has one.
  void write_location(std::uint32_t number, const std::string& group, const std::string& name,
                      const LocationFacts& facts) {
    must(OTF2_GlobalDefWriter_WriteLocationGroup(out_, number, text(group), OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                 processes_[facts.process], OTF2_UNDEFINED_LOCATION_GROUP),
         kWrite);
    must(OTF2_GlobalDefWriter_WriteLocation(out_, number, text(name), OTF2_LOCATION_TYPE_CPU_THREAD, facts.events,
                                            number),
         kWrite);
  }

  void write_locations() {
    const std::uint32_t ranks = contents_.rank_count();
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const auto facts = contents_.ranks.find(rank);
      write_location(rank, "MPI Rank " + std::to_string(rank), "rank " + std::to_string(rank),
                     facts == contents_.ranks.end() ? LocationFacts{} : facts->second);
    }
    write_location(ranks, "balancing", "balancing steps", contents_.job);
  }

  void write_group(OTF2_GroupRef number, OTF2_GroupType type, const std::vector<std::uint32_t>& ranks) {
    const std::vector<std::uint64_t> members(ranks.begin(), ranks.end());
    must(OTF2_GlobalDefWriter_WriteGroup(out_, number, text(""), type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                         static_cast<std::uint32_t>(members.size()), members.data()),
         kWrite);
  }

  void write_comms() {
    std::vector<std::uint32_t> everyone(contents_.rank_count());
    std::iota(everyone.begin(), everyone.end(), 0U);
    write_group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, everyone);
    write_group(1, OTF2_GROUP_TYPE_COMM_SELF, {});
    OTF2_GroupRef group = 2;
    const std::vector<Communicator>& comms = contents_.comms.all();
    for (OTF2_CommRef number = 0; number < comms.size(); ++number) {
      const Communicator& comm = comms[number];
      const OTF2_StringRef name = text(comm.name);
      if (number == Communicators::kSelf) {
        must(OTF2_GlobalDefWriter_WriteComm(out_, number, name, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE), kWrite);
        continue;
      }
      const OTF2_GroupRef own = group++;
      write_group(own, OTF2_GROUP_TYPE_COMM_GROUP, comm.group);
      if (comm.other.empty()) {
        must(OTF2_GlobalDefWriter_WriteComm(out_, number, name, own, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE), kWrite);
        continue;
      }
      const OTF2_GroupRef other = group++;
      write_group(other, OTF2_GROUP_TYPE_COMM_GROUP, comm.other);
      must(
          OTF2_GlobalDefWriter_WriteInterComm(out_, number, name, own, other, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE),
          kWrite);
    }
  }

  const Contents& contents_;
  const std::vector<ProcessFiles>& parts_;
  OTF2_GlobalDefWriter* const out_;
  Names texts_;
  std::vector<OTF2_SystemTreeNodeRef> processes_;
};

}  // namespace

void write_definitions(Archive& archive, const Contents& contents, const std::vector<ProcessFiles>& parts) {
  Definitions(archive, contents, parts).write();
}

}  // namespace weft::trace::otf2
