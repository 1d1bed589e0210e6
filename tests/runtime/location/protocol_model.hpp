// The model that the location protocol is explored with: three workers, two or three ranks, three messages.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/location/protocol.hpp"
#include "tests/runtime/explorer.hpp"

namespace weft::runtime {
inline namespace location {
namespace model {

using exploring::Log;
using exploring::Recorder;

inline constexpr std::uint8_t kWorkers = 3;
inline constexpr std::uint8_t kRanks = 3;  // the last one may have nothing to do
inline constexpr std::uint8_t kMessages = 3;
inline constexpr std::uint8_t kNobody = 0xff;

// A rule of the protocol that the model leaves out, to see that the exploration notices.
enum class LeftOut : std::uint8_t {
  nothing,
  inbox_after_steal,  // the thief runs the rank before it has emptied its own inbox (mended by df19634)
  asymmetric_fence,   // wait_for_posts() may overlook a post whose begin has not left the store buffer
  wait_for_posts,     // queues are opened and closed while others may be inside post()
  queue_of_stolen,    // the thief does not look into the rank's queue
  queue_before_send,  // a rank delivers on the spot although older mail lies in the receiver's queue
};

// What a rank does, one after the other; then it ends.
enum class Act : std::uint8_t { end, send, receive, step };
struct Program {
  struct Line {
    Act act = Act::end;
    std::uint8_t message = 0;
  };
  std::array<std::vector<Line>, kRanks> ranks;
  std::array<std::uint8_t, kMessages> senders{};
  std::array<std::uint8_t, kMessages> receivers{};
};

struct Setting {
  Program program;
  std::array<std::uint8_t, kRanks> homes{};  // workers
  std::array<bool, kRanks> has_queue{};      // State::here_queued from the start
  std::uint8_t exposures = 0;                // at most so many times ranks are exposed
  std::uint8_t gifts = 0;                    // given
  std::uint8_t closings = 0;                 // and queues closed
  LeftOut left_out = LeftOut::nothing;
};

struct WorkerHandle {
  std::uint8_t index;
};
struct RankHandle {
  std::uint8_t index;
};
struct Message {
  std::uint8_t index;
};
using At = Location<const WorkerHandle*>;

enum class Status : std::uint8_t { ready, parked, in_slot, leaving, in_step, has_moved, ended };
// begin_post() is a plain store: it lies in the thread's store buffer until it is written, at the latest when the
// thread exchanges something or another one passes an asymmetric fence in it.
enum class Posting : std::uint8_t { no, buffered, yes };
enum class Kind : std::uint8_t { none, run, between_ranks, expose, give, steal, close, move };

struct Model {
  struct Rank {
    // Shared.
    std::uint8_t at = 0;  // worker * 4 + state
    std::uint8_t queued = 0;
    std::array<std::uint8_t, kMessages> queue{};
    // Its holder's.
    Status status = Status::ready;
    std::uint8_t line = 0;
    std::uint8_t received = 0;  // messages that have been accepted
    std::uint8_t consumed = 0;  // by its program
    std::uint8_t in_step = 0;   // it has come to the step
    // Known to the test only: the worker that may touch it.
    std::uint8_t holder = 0;
  };
  struct Worker {
    // Shared.
    Posting posting = Posting::no;
    std::uint8_t inbox_size = 0;
    std::array<std::uint8_t, 8> inbox{};
    std::array<std::uint8_t, kRanks> slots{};  // rank + 1, or 0
    // Its own.
    std::uint8_t in_slots = 0;  // a bit for each rank that it has put there
    std::uint8_t taken_size = 0;
    std::array<std::uint8_t, 8> taken{};  // of the inbox, to be handled
    Kind kind = Kind::none;
    std::uint8_t rank = 0;
    std::uint8_t other = 0;
    Log log;
  };

  explicit Model(const Setting& of);

  std::uint32_t choices() const { return kWorkers * kKinds; }
  bool take(std::uint32_t choice);
  std::string describe(std::uint32_t choice) const;
  std::string wrong() const;
  std::string wrong_at_end() const;

  static constexpr std::uint32_t kSets = (1U << kRanks) - 1;  // of ranks, not empty
  // Each worker's possible operations, by number.
  static constexpr std::uint32_t kKinds = 2 + 2 * kRanks + kSets + kRanks * kWorkers * 2 + kWorkers;

  const Setting* setting;
  std::array<Rank, kRanks> ranks{};
  std::array<Worker, kWorkers> workers{};
  std::array<std::uint8_t, kMessages> forwarded{};  // how often
  std::uint8_t sent = 0;                            // a bit for each message
  std::uint8_t accepted = 0;                        // the same
  std::uint8_t exposures = 0;
  std::uint8_t gifts = 0;
  std::uint8_t closings = 0;
  std::uint8_t error = 0;                // index into kErrors
  std::array<std::uint8_t, 5> unused{};  // to a multiple of eight bytes

 private:
  bool begin(std::uint8_t worker, std::uint32_t number);
  bool begin_with_rank(std::uint8_t worker, Kind kind, std::uint8_t rank, std::uint8_t other);
  bool is_movable(std::uint8_t worker, std::uint8_t rank) const;
  std::string misplaced(std::uint8_t message) const;
};

}  // namespace model
}  // namespace location
}  // namespace weft::runtime
