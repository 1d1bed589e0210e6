// What point-to-point communication knows of a rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/location/mail_queue.hpp"
#include "runtime/p2p/mailbox.hpp"
#include "runtime/p2p/traffic.hpp"
#include "runtime/sched/rank_context.hpp"

namespace weft::runtime {
inline namespace p2p {

class Remote;
struct Envelope;

// A pending send that its message names by number, because one of them has moved or they are in different processes.
struct RegisteredSend {
  Request* request = nullptr;
  ProcessId to{};                 // where its receiver lives, of those between processes that stay
  std::vector<std::byte> packed;  // the payload for another process to read, where it does not lie in a row
  bool over_credit = false;       // it waits only because of --unexpected-limit
};

// Owned by the rank's worker.
class Endpoint : public RankContext {
 public:
  Endpoint(RankId rank, Worker* home, ProcessId home_process, Remote& to_others)
      : RankContext(rank, home, home_process), remote(to_others) {}

  alignas(64) ExecutionContext* probers = nullptr;  // contexts that wait for a message to look at
  Mailbox mailbox;
  std::unordered_map<std::uint64_t, RegisteredSend> registered_sends;  // by Request::id
  std::uint64_t last_send_id = 0;
  std::uint32_t noncontiguous_sends = 0;  // pending ones of elements with gaps: their packed copies lie in this process
  std::unique_ptr<Traffic> traffic;       // null where nobody asks
  SentCounts sent;                        // so far
  ExecutionContext* waiters = nullptr;    // where threads are allowed: contexts that wait for requests
  Remote& remote;                         // the way to ranks of other processes
  MailQueue mail;                         // what is sent to it while it changes its worker: see location::State
  std::uint32_t notices = 0;              // of mail in that queue since its location last changed
};

}  // namespace p2p
}  // namespace weft::runtime
