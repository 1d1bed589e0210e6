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

// Keeps its state of a rank at Rank::upper_state. Called on the rank's fibre unless a function says otherwise.
class UpperLayer {
 public:
  virtual ~UpperLayer() = default;
  virtual void begin(Rank& rank) = 0;               // before the program's first instruction
  virtual void end(Rank& rank, int exit_code) = 0;  // after its last
  // A communicator's name for a context number, for reports; any thread, while nothing runs.
  virtual std::string context_name(const Rank& rank, std::uint32_t context) const = 0;
  // The tag that the program has given to this message. Nothing for messages of collective calls, whose peers and tags
  // the program does not know.
  virtual std::optional<std::int32_t> program_tag(const MatchKey& key) const = 0;
  // Where in its program each suspended rank has made the call that it is in: "solver.c:12", or empty if unknown. For
  // reports; any thread, while nothing runs.
  virtual std::vector<std::string> call_places(std::span<const Rank* const> suspended) const {
    return std::vector<std::string>(suspended.size());
  }
  // The rank's calls that have begun and continue through requests: "MPI_Ibarrier on MPI_COMM_WORLD, …" or empty. For
  // reports; any thread, while nothing runs.
  virtual std::string pending_calls(const Rank& /*rank*/) const { return {}; }
  // For a move to another process: packs the state of a rank that is suspended in a balancing step, or, unpacking,
  // creates it anew on `rank`. Not on the rank's fibre.
  virtual void pup(Rank& /*rank*/, pup::Puper& /*p*/) {}
  // For a rank that has come from an image, once all ranks have come: restores what lies outside its memory, such as
  // files of this layer, to the state at the image. `cut`: truncates also files whose length the rank knew for certain.
  // Returns what is wrong, or an empty text.
  virtual std::string roll_back(Rank& /*rank*/, bool /*cut*/) { return {}; }
  // Why a rank that is suspended in a balancing step cannot be packed (until it has run again), or null.
  virtual const char* why_pinned(const Rank& /*rank*/) const { return nullptr; }
  // Called in a balancing step, on the rank's fibre: before it is suspended to move, and once it runs again at its new
  // place. Both are called for a move to another worker of the process and for a move to another process. After the
  // latter the new process's UpperLayer is called.
  virtual void about_to_move(Rank& /*me*/, bool /*leaves_process*/) {}
  virtual void just_moved(Rank& /*me*/, bool /*new_process*/) {}
  // first_unused_context(): this process uses no context number from here on. skip_contexts(): context numbers below
  // `first` are not given out any more.
  virtual std::uint32_t first_unused_context(const Job& /*job*/) const { return 0; }
  virtual void skip_contexts(const Job& /*job*/, std::uint32_t /*first*/) {}
  // Receives what Cluster::send_active_message() was given in another process. Called on any thread that polls. Must
  // not block or suspend.
  virtual void on_active_message(Job& /*job*/, ProcessId /*from*/, std::span<const std::byte> /*text*/) {}
  // With --survive api: a process has died, or a communicator is revoked. Marks what that concerns, before any worker
  // acts on it. `notice` is its number: runtime/failure/failures.hpp. One call at a time, on the thread that receives
  // notices.
  virtual void note_death(Job& /*job*/, ProcessId /*process*/, std::uint32_t /*notice*/) {}
  virtual void note_revocation(Job& /*job*/, std::uint32_t /*context*/, std::uint32_t /*notice*/) {}
  // Why a receive of the rank with this pattern, which has found no message so far, fails. Failure::none: it does not.
  // On the rank's worker.
  virtual Failure receive_failure(const Rank& /*rank*/, const MatchKey& /*pattern*/) const { return {}; }
  // Why nobody will receive a message with this key, judged by the first `notices` notices, or by all that this process
  // knows. Failure::none: somebody may. On any worker.
  virtual Failure message_failure(Job& /*job*/, const MatchKey& /*key*/, std::uint32_t /*notices*/) const { return {}; }
  // Drops such messages among those that the rank has taken out of its mailbox and not received. On the rank's worker.
  virtual void give_up_matched(Rank& /*rank*/, Worker& /*here*/, std::uint32_t /*notices*/) {}
  // From now on calls in this process begin and end as runtime/sched/thread_calls.hpp says.
  virtual void enable_thread_calls() {}
  // Deletes the state of a rank that has been packed and lives elsewhere now.
  virtual void forget(Rank& /*rank*/) {}
};

}  // namespace setup
}  // namespace weft::runtime
