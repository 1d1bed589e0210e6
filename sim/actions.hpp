// What the ranks of a simulated run do: a stream of actions for each rank. Ranks that do alike share a template, loops
// are not written out, and what differs from rank to rank and from iteration to iteration is a list of values.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace weft::sim {

using Seconds = double;

// The numbers are part of the file format: new kinds go to the end, and change the version (actions_file.hpp).
enum class ActionKind : std::uint8_t {
  compute = 1,  // `seconds` of work at speed 1, times the stream's scale; `index`: phase; detail: WorkDetail
  send,         // blocks until the buffer is free: eager at once, rendezvous when the receiver has it
  isend,        // `index`: channel; `value`: bytes; `request`: slot
  recv,         // `value` is the size of the buffer; what is charged is the message's size
  irecv,
  wait,        // for the `index` slots from slot `request` on; for none: a call that lets pending calls go on
  collective,  // of this rank, `index`: the call (CollectiveCall); `value`: bytes of one member's block or of the
               // vector; `request`: slot of a call with a request; detail: number of a persistent call, or 0
  migrate,     // a call of MPI_Migrate; `value`: bytes to move; detail: MigrateDetail
  phase,       // `index`: the phase that begins (MPI_Pcontrol)
  loop,        // what follows up to the end_loop of the same level happens `value` times, at least once
  end_loop,    // `index`: the first action of the body; `request`: the level, 0 … kMostLevels - 1
  stop,        // the rank has ended; or, in a collective call, the call has
};
inline constexpr ActionKind kLastActionKind = ActionKind::stop;
inline constexpr unsigned kMostLevels = 4;
// What makes a workload makes no more ranks.
inline constexpr std::uint64_t kMostRanks = std::uint64_t{1} << 24;
// Slot 0 is that of send, recv and collective calls that block; what has a request uses the others.
inline constexpr std::uint16_t kBlockingSlot = 0;

// How much a compute action is.
enum class WorkDetail : std::uint8_t {
  constant,  // `seconds`
  listed,    // the next value of the stream's list, times `seconds`
};

// Persistent collective calls of a communicator are numbered in the order in which they are made, from 1 on, and again
// from 1 behind this one. All members start the same one together.
inline constexpr std::uint32_t kPersistentNumbers = 255;

// Bits of a migrate action.
inline constexpr std::uint8_t kMayMove = 1;
inline constexpr std::uint8_t kLoadListed = 2;  // the next value of the stream's list is the rank's load in seconds;
                                                // without it the load is what the simulator charged to the rank

struct Action {
  ActionKind kind = ActionKind::stop;
  std::uint8_t detail = 0;
  std::uint16_t request = 0;
  std::uint32_t index = 0;
  std::uint64_t value = 0;

  [[nodiscard]] Seconds seconds() const { return std::bit_cast<double>(value); }
  [[nodiscard]] bool is_message() const { return kind >= ActionKind::send && kind <= ActionKind::irecv; }
  friend bool operator==(const Action&, const Action&) = default;
};
static_assert(sizeof(Action) == 16);

enum class ChannelEnd : std::uint8_t { sender, receiver };
enum class Addressing : std::uint8_t { absolute, relative };  // `peer` is a rank, or is added to the own rank

// One end of a channel: the k-th message sent into it goes to the k-th receive from it. Receives with wildcards stand
// in the channel of the message that they got. Peers are ranks of the job; `comm` is a context and nothing else.
struct Channel {
  ChannelEnd end = ChannelEnd::sender;
  Addressing addressing = Addressing::absolute;
  std::uint16_t zero = 0;
  std::int32_t peer = 0;
  std::uint32_t tag = 0;
  std::uint32_t comm = 0;
  friend bool operator==(const Channel&, const Channel&) = default;
};
static_assert(sizeof(Channel) == 16);

// Runs of Workload::actions (the last is `stop`) and of Workload::channels, and how many request slots are needed.
struct Template {
  std::uint64_t first_action = 0;
  std::uint64_t first_channel = 0;
  std::uint32_t actions = 0;
  std::uint32_t channels = 0;
  std::uint32_t requests = 1;
  std::uint32_t zero = 0;
  friend bool operator==(const Template&, const Template&) = default;
};

// One rank: a template, and its own part of Workload::values.
struct Stream {
  std::uint32_t pattern = 0;  // index of its template
  std::uint32_t values = 0;
  std::uint64_t first_value = 0;
  double scale = 1.0;
  friend bool operator==(const Stream&, const Stream&) = default;
};

// The numbers are part of the file format. Neighbourhood collectives are written as the messages they consist of.
enum class CollectiveKind : std::uint8_t {
  barrier = 1,
  bcast,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce,
  allreduce,
  reduce_scatter,
  scan,
  exscan,
};
inline constexpr CollectiveKind kLastCollectiveKind = CollectiveKind::exscan;

// What all members' calls have in common, and the bytes of each member's block where they differ (v-collectives: what
// this rank knows of them; for alltoall, what it sends to each).
struct CollectiveCall {
  CollectiveKind kind = CollectiveKind::barrier;
  std::uint8_t varies = 0;    // 1: blocks differ, at all members, also those that know their own alone (gatherv)
  std::uint16_t element = 1;  // bytes of an element of a reduction
  std::uint32_t comm = 0;
  std::uint32_t root = 0;    // a member
  std::uint32_t counts = 0;  // one for each member; 0: `value` of the action says all that this rank knows
  std::uint64_t first_count = 0;
  friend bool operator==(const CollectiveCall&, const CollectiveCall&) = default;
};

// A run of Workload::members. Communicator 0 is that of all ranks and has no members listed.
struct Communicator {
  std::uint64_t first_member = 0;
  std::uint64_t members = 0;
  friend bool operator==(const Communicator&, const Communicator&) = default;
};

// A run of a job, as files hold it.
struct Workload {
  std::vector<Action> actions;
  std::vector<Channel> channels;
  std::vector<Template> templates;
  std::vector<Stream> streams;  // by rank
  std::vector<float> values;
  std::vector<CollectiveCall> calls;
  std::vector<Communicator> comms = {Communicator{}};
  std::vector<std::uint32_t> members;  // ranks
  std::vector<std::uint64_t> counts;
  std::vector<std::string> phases;  // names; actions name phases by their number
  friend bool operator==(const Workload&, const Workload&) = default;
};

// A workload that cannot be simulated, in one line.
class WorkloadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws WorkloadError where a reference leads nowhere, loops do not nest, or a slot or an action makes no sense.
void check_workload(const Workload& workload);

// Actions of all ranks with loops written out; loop, end_loop and stop are none.
std::uint64_t expanded_actions(const Workload& workload);

// Calls of MPI_Migrate that a rank makes, the most of all ranks.
std::uint64_t migrate_calls(const Workload& workload);

// For each channel of a template, the messages that go into it or come from it.
std::vector<std::uint64_t> messages_of(const Workload& workload, const Template& pattern);

}  // namespace weft::sim
