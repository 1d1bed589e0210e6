// Writes the events of one rank as OTF2 events.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "trace/communicators.hpp"
#include "trace/names.hpp"
#include "trace/otf2/archive.hpp"

namespace weft::trace::otf2 {

// Metrics; each is the only member of its class.
inline constexpr OTF2_MetricRef kWorkerMetric = 0;     // the worker that a rank is on
inline constexpr OTF2_MetricRef kImbalanceMetric = 1;  // what balancing steps found
inline constexpr OTF2_RegionRef kProgramRegion = 0;    // around all of a rank's calls
inline constexpr OTF2_RegionRef kStepRegion = 1;       // balancing steps
inline constexpr OTF2_RegionRef kFirstRegion = 2;      // of the calls

// The operation of a collective call, from its name; none for other calls.
std::optional<OTF2_CollectiveOp> operation_of(std::string_view call);

class Location {
 public:
  Location(Archive& archive, OTF2_LocationRef number)
      : archive_(archive), number_(number), writer_(archive.open_events(number)) {}

  // REQUIRES: events come in the order of their times. `calls`: names of the calls, for the regions from kFirstRegion
  // on; the name of a call's event is an index into it.
  void handle(std::uint32_t worker, const Event& event, const Names& calls, const Communicators& comms);
  // An event of the job: a counter (the imbalance that a balancing step found) or a span (the step itself).
  void handle_job(const Event& event);
  // Leaves open calls. Returns the number of events.
  std::uint64_t close();

 private:
  struct Collective {
    OTF2_CollectiveOp operation;
    OTF2_CommRef comm;
    std::uint32_t root;
    std::uint64_t sent;
    std::uint64_t received;
    std::uint64_t request;
  };
  struct Call {
    OTF2_RegionRef region;
    std::string name;
    std::optional<Collective> collective;  // once its arguments have been checked
  };
  using Requests = std::unordered_map<std::uint32_t, std::uint64_t>;  // from the trace's numbers to the archive's

  void enter(OTF2_RegionRef region);
  void begin_at(std::uint32_t worker);
  void write_metric(OTF2_MetricRef metric, std::int64_t value);
  void write_call(const Event& event, const Names& calls);
  void write_message(const Event& event, OTF2_CommRef comm);
  void write_collective(const Event& event, OTF2_CommRef comm);
  void begin_collective(const Event& event, OTF2_CommRef comm);
  void leave();
  void start(Collective& collective);
  void complete(std::uint32_t request);
  std::optional<std::uint64_t> finish(Requests& requests, std::uint32_t request);
  void move(std::uint32_t from, std::uint32_t to);

  Archive& archive_;
  const OTF2_LocationRef number_;
  OTF2_EvtWriter* const writer_;
  OTF2_TimeStamp now_ = 0;
  std::optional<std::uint32_t> worker_;
  std::vector<Call> calls_;
  std::uint64_t next_request_ = 0;
  Requests sends_;
  Requests receives_;
  std::unordered_map<std::uint32_t, Collective> collectives_;
};

}  // namespace weft::trace::otf2
