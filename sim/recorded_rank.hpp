// Turns the events of one recorded rank into actions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/recorded_calls.hpp"
#include "sim/recorded_program.hpp"
#include "trace/communicators.hpp"
#include "trace/event.hpp"

namespace weft::sim {

// A collective call of one member. Bytes are the sums over all members' blocks.
struct RecordedCollective {
  CallMeaning meaning;
  std::uint32_t comm = 0;                   // of the recording
  std::uint32_t root = 0;                   // a member
  std::uint32_t element = 0;                // bytes of an element of a reduction
  std::uint64_t out = 0;                    // bytes sent
  std::uint64_t in = 0;                     // bytes received
  std::vector<std::uint64_t> out_blocks{};  // by member, if blocks may differ and the call knows their sizes
  std::vector<std::uint64_t> in_blocks{};
};

// Statistics of the compilation, for its summary.
struct RecordedCounts {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t wildcards = 0;
  Seconds computing = 0.0;
  std::map<std::string, std::uint64_t> polls;     // calls that found nothing, by name
  std::map<std::string, std::uint64_t> left_out;  // calls that make communicators, by name
};

// What all ranks share during the compilation.
struct RecordedJob {
  trace::Communicators comms;
  // Adds the call to the workload and returns its action; none if the communicator has one member only.
  std::function<std::optional<Action>(const RecordedCollective&)> collective;
  bool recorded_loads = false;  // balancing steps use the loads that were charged in the recorded run
  RecordedCounts counts;
};

struct CallName {
  std::string text;
  CallMeaning meaning;
};

class RecordedRank {
 public:
  // `job` must outlive this.
  RecordedRank(std::uint32_t number, RecordedJob& job) : number_(number), job_(job) {}

  // Handles the rank's next event; `call`: the meaning of its name, if it has one. Throws WorkloadError, which names
  // the rank and the call, for what cannot be replayed.
  void handle(const trace::Event& event, const CallName& call);
  // To be called after the last event. Throws WorkloadError if the recording ends within a call.
  RecordedProgram finish();

 private:
  // A collective call, or the messages of a neighbourhood collective.
  struct CollectiveStart {
    std::optional<Action> action{};
    std::uint32_t comm = 0;  // of the recording
    std::vector<RecordedMessage> to{};
    std::vector<RecordedMessage> from{};
  };
  // The operation of an active request.
  struct ActiveRequest {
    std::vector<std::uint16_t> slots{};
    std::optional<RecordedProgramWriter::OpenReceive> receive{};
    bool is_collective = false;
  };
  // The call that the rank is in, and its events so far.
  struct CurrentCall {
    CallName name{};
    std::vector<RecordedMessage> sent{};  // not through a request
    std::vector<RecordedMessage> received{};
    std::vector<trace::Event> blocks{};
    std::optional<CollectiveStart> collective{};
    std::vector<std::uint16_t> waits{};
    bool ends_requests = false;  // it has completed a request
  };

  void enter(const CallName& call);
  void leave();
  [[nodiscard]] RecordedMessage message(const trace::Event& event) const;
  void count(const RecordedMessage& message);
  void start_send(const trace::Event& event);
  void end_request(std::uint32_t request);
  void end_receive(const trace::Event& event);
  void cancel(std::uint32_t request);
  void collective(const trace::Event& event);
  [[nodiscard]] CollectiveStart neighbours(std::uint32_t comm) const;
  [[nodiscard]] RecordedCollective members_call(const trace::Event& event, std::uint32_t comm) const;
  std::vector<std::uint16_t> start(const CollectiveStart& what);
  void start_collective(std::uint32_t request);
  void restart(std::uint32_t request);
  void activate(std::uint32_t request, const CollectiveStart& what);
  void poll();
  void blocking_messages();
  void blocking_collective();
  void migrate(const trace::Event& event);
  [[nodiscard]] std::uint32_t find_comm(std::uint32_t context) const;
  [[noreturn]] void refuse(const std::string& what) const;

  std::uint32_t number_;
  RecordedJob& job_;
  RecordedProgramWriter writer_;
  CurrentCall call_;
  unsigned depth_ = 0;  // of calls within calls
  std::unordered_map<std::uint32_t, ActiveRequest> active_;
  std::unordered_map<std::uint32_t, CollectiveStart> persistent_;      // collective calls, by request
  std::unordered_map<std::uint32_t, std::uint32_t> persistent_calls_;  // that have been made, by communicator
  std::uint32_t active_collectives_ = 0;
  // Sends that were complete at once, so the recording has no wait for them: the next waiting call waits for these
  // slots.
  std::vector<std::uint16_t> unwaited_sends_;
};

}  // namespace weft::sim
