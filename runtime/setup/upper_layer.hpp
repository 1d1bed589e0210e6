// What the runtime calls in the layer above it, which is MPI: a rank begins, ends, is packed, is about to move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "pup/pup.hpp"

namespace weft::runtime {
inline namespace control {
class Rank;
}  // namespace control

inline namespace job {
class Job;
}  // namespace job

inline namespace p2p {
enum class Failure : std::uint8_t;
struct MatchKey;
}  // namespace p2p

inline namespace sched {
class Worker;
}  // namespace sched

inline namespace setup {

// Keeps its state of a rank at Rank::upper_state. Every call is made on the rank's fibre.
class UpperLayer {
 public:
  virtual ~UpperLayer() = default;
  virtual void begin(Rank& rank) = 0;               // before the program's first instruction
  virtual void end(Rank& rank, int exit_code) = 0;  // after its last
  // A communicator's name for a context number, for reports; any thread, while nothing runs.
  virtual std::string context_name(const Rank& rank, std::uint32_t context) const = 0;
  // The tag that the program has given to such a message; nothing for parts of collective calls, whose peers and tags
  // it does not know.
  virtual std::optional<std::int32_t> program_tag(const MatchKey& key) const = 0;
  // Where in their programs suspended ranks have made the calls that they are in, one for each: "solver.c:12", or
  // nothing if unknown; for reports, any thread, while nothing runs.
  virtual std::vector<std::string> call_places(std::span<const Rank* const> suspended) const {
    return std::vector<std::string>(suspended.size());
  }
  // Calls of the rank that have begun and go on behind requests, for reports: "MPI_Ibarrier on MPI_COMM_WORLD, …" or
  // nothing; any thread, while nothing runs.
  virtual std::string pending_calls(const Rank& /*rank*/) const { return {}; }
  // A move to another process: packs the state of a rank that is suspended in a balancing step; unpacking, makes it
  // anew on `rank`. Not on the rank's fibre.
  virtual void pup(Rank& /*rank*/, pup::Puper& /*p*/) {}
  // A rank that has come from an image, once all have come: makes what is outside of its memory what it was at the
  // image, such as files of the layer. `cut`: files, too, whose length the rank knew for certain. What is wrong, or
  // nothing.
  virtual std::string roll_back(Rank& /*rank*/, bool /*cut*/) { return {}; }
  // Why a rank that is suspended in a balancing step cannot be packed (until it has run again), or null.
  virtual const char* pinned(const Rank& /*rank*/) const { return nullptr; }
  // In a balancing step, on the rank's fibre: before it is suspended to move, and once it runs again where it lives
  // now. Both ways a move to another worker of the process, or to another process (whose UpperLayer is called after
  // it).
  virtual void about_to_move(Rank& /*me*/, bool /*leaves_process*/) {}
  virtual void just_moved(Rank& /*me*/, bool /*new_process*/) {}
  // Context numbers from here on are in no use by this process; and none below is to be given out any more.
  virtual std::uint32_t contexts_used(const Job& /*job*/) const { return 0; }
  virtual void skip_contexts(const Job& /*job*/, std::uint32_t /*first*/) {}
  // What Cluster::activate() was given in another process; on whatever thread lets it arrive. Must not block or
  // suspend.
  virtual void active(Job& /*job*/, ProcessId /*from*/, std::span<const std::byte> /*text*/) {}
  // With --survive api: a process has died; a communicator is revoked. Marks what that concerns, before any worker acts
  // on it. `notice` is its number: runtime/failure/failures.hpp. One call at a time, on a thread of its own.
  virtual void note_death(Job& /*job*/, ProcessId /*process*/, std::uint32_t /*notice*/) {}
  virtual void note_revocation(Job& /*job*/, std::uint32_t /*context*/, std::uint32_t /*notice*/) {}
  // Why a receive of the rank with this pattern fails that has found no message so far. On the rank's worker.
  virtual Failure receive_failure(const Rank& /*rank*/, const MatchKey& /*pattern*/) const { return {}; }
  // Why nobody will receive a message with this key, by the first so many notices, or by all that this process knows.
  // On any worker.
  virtual Failure message_failure(Job& /*job*/, const MatchKey& /*key*/, std::uint32_t /*notices*/) const { return {}; }
  // Drops such messages of those that the rank has taken out of its mailbox and not received. On the rank's worker.
  virtual void give_up_matched(Rank& /*rank*/, Worker& /*here*/, std::uint32_t /*notices*/) {}
  // From now on calls in this process begin and end as runtime/sched/thread_calls.hpp says.
  virtual void threads_call() {}
  // Ends the state of a rank that has been packed and lives elsewhere now.
  virtual void forget(Rank& /*rank*/) {}
};

}  // namespace setup
}  // namespace weft::runtime
