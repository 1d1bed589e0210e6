// The part of a rank that point-to-point communication uses: its mailbox, its sends and what waits for them.
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

// A pending send to which its message refers by a number, since one of the two has moved or they are in different
// processes.
struct RegisteredSend {
  Request* request = nullptr;
  ProcessId to{};                 // the receiver's process; not set if one of the two has moved
  std::vector<std::byte> packed;  // the payload for another process to read, if the buffer is not contiguous
  bool over_credit = false;       // it waits only because of --unexpected-limit
};

// Owned by the rank's worker; but any thread may push to `mail` and read `sent`.
class Endpoint : public RankContext {
 public:
  Endpoint(RankId rank, Worker* home, ProcessId home_process, Remote& to_others)
      : RankContext(rank, home, home_process), remote(to_others) {}

  alignas(64) ExecutionContext* probers = nullptr;  // contexts that wait in a probe
  Mailbox mailbox;
  std::unordered_map<std::uint64_t, RegisteredSend> registered_sends;  // by Request::id
  std::uint64_t last_send_id = 0;
  std::uint32_t noncontiguous_sends = 0;  // pending ones with a Layout: their packed copies lie in this process
  std::unique_ptr<Traffic> traffic;       // null unless the strategy or an MPI_T tool wants it
  SentCounts sent;
  ExecutionContext* waiters = nullptr;  // where threads are allowed: contexts that wait for requests
  Remote& remote;                       // the way to ranks of other processes
  MailQueue mail;                       // items sent to it while it changes its worker: see location::State
  std::uint32_t notices = 0;            // of mail in that queue, since its location last changed
};

}  // namespace p2p
}  // namespace weft::runtime
