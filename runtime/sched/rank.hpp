// A rank: a fibre with a mailbox. Owned by one worker at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "runtime/p2p/mailbox.hpp"
#include "runtime/p2p/traffic.hpp"
#include "runtime/sched/execution_context.hpp"
#include "runtime/sched/load.hpp"

namespace weft::runtime {

struct Envelope;
class Job;
class Worker;
struct World;

// A pending send that its message names by number, because one of them has moved or they are in different processes.
struct RegisteredSend {
  Request* request = nullptr;
  std::vector<std::byte> packed;  // the payload for another process to read, where it does not lie in a row
  bool over_credit = false;       // it waits only because of --unexpected-limit
};

// The rank is the strand that its own fibre runs on.
class alignas(64) Rank : public ExecutionContext {
 public:
  static constexpr std::uint32_t kAnyWorker = UINT32_MAX;

  // `home` is null for a rank of another process.
  Rank(RankId rank_id, Job& of, Worker* home, ProcessId home_process)
      : job(of), id(rank_id), process(home_process), worker(home) {
    owner = this;
    hand_over.owner = this;
  }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  // What every sender reads: in a cache line that the rank's own doings do not take away.
  alignas(64) Job& job;
  const RankId id;
  std::uint32_t worker_number = 0;  // the worker's, where debuggers can read it
  // Written only while every rank of the job is parked.
  ProcessId process;                       // where it lives
  std::atomic<Worker*> worker;             // null while that is another process; changes at any time if workers share
  std::atomic<bool> is_forwarded = false;  // given to this worker a moment ago: see defer_delivery()

  alignas(64) ExecutionContext* probers = nullptr;  // strands that wait for a message to look at
  Mailbox mailbox;
  std::unordered_map<std::uint64_t, RegisteredSend> registered_sends;  // by Request::id
  std::uint64_t last_send_id = 0;
  std::uint32_t sends_with_gaps = 0;  // pending ones of elements with gaps: their packed copies lie in this process
  const char* held = nullptr;         // why it could not be packed when it last came to a step, or null
  std::atomic<bool> ended = false;    // state is `ended`, for other threads
  Load load;
  std::unique_ptr<Traffic> traffic;  // null where nobody asks
  void* client = nullptr;            // the layer above's state of this rank
  // Threads of the rank: see boarding.hpp.
  std::atomic<bool> threads_allowed = false;  // to make calls
  bool threads_call = false;                  // at least one has
  std::atomic<bool> has_threads = false;      // there may be some
  std::uint32_t threads_in = 0;               // calls of theirs that are under way
  // Calls by which the program waits: see pauses.hpp.
  std::atomic<bool> interrupted = false;  // a signal handler of the rank's has run since it went to sleep
  std::uint32_t no_pauses = 0;            // functions of the program's that must not be suspended are running
  ExecutionContext* waiters = nullptr;    // where threads are allowed: strands that wait for requests
  int exit_code = 0;
  OwnedItem<Rank> hand_over;         // travels when it changes its worker
  std::vector<Team*> teams;          // it is a member of
  std::vector<Envelope*> kept_back;  // while it is is_forwarded: messages that came directly
  std::uint64_t given_at = 0;        // ticks, when it last changed its worker that way
  std::uint64_t given_switches = 0;  // and Load::switches then
  std::uint64_t recorded_at = 0;     // of one laid out: ticks of its worker's last event for the timeline
  bool lent = false;                 // given away for a while: `planned` is where it belongs
  // The worker of this process that it is to be given to; see ContinuousBalancer.
  std::atomic<std::uint32_t> planned = kAnyWorker;
  bool in_step = false;

  // What the program asks of the next balancing step.
  std::atomic<bool> migratable = true;       // the balancer may move it
  std::uint32_t wanted_worker = kAnyWorker;  // through the whole job; goes before `migratable` and the strategy
  // Where the rank asks to be, given where it is, or kAnyWorker. The wish ends with it.
  std::uint32_t take_wanted(std::uint32_t home) {
    const std::uint32_t wanted = std::exchange(wanted_worker, kAnyWorker);
    return wanted == kAnyWorker && !migratable ? home : wanted;
  }

  // Of a rank that was spawned. A number that no rank has at the moment is dormant: no rank of the job.
  std::shared_ptr<const World> world;
  std::uint32_t place = 0;  // in its world

  std::uint32_t migrate_calls = 0;
  std::uint64_t steps = 0;  // balancing steps so far
};

}  // namespace weft::runtime
