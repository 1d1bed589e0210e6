// The input of a simulated run: a stream of actions for each rank. Ranks with the same actions share a template, and
// loops are not unrolled. What differs between ranks and between iterations is kept in a list of values.
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
  send,         // blocks until the buffer is free: eager at once, rendezvous when the receiver has the data
  isend,        // `index`: channel; `value`: bytes; `request`: slot
  recv,         // `value`: size of the buffer; the size of the message is what is charged
  irecv,
  wait,        // for `index` slots from slot `request` on; with no slots: a call that only advances pending calls
  collective,  // of this rank, `index`: the call (CollectiveCall); `value`: bytes of one member's block or of the
               // vector; `request`: slot of a call with a request; detail: number of a persistent call, or 0
  migrate,     // a call of MPI_Migrate; `value`: bytes to move; detail: kMayMove, kLoadListed
  phase,       // `index`: the phase that begins (MPI_Pcontrol)
  loop,        // repeats the actions up to the end_loop of the same level `value` times, at least once
  end_loop,    // `index`: the first action of the body; `request`: the level, 0 … kMostLevels - 1
  stop,        // the end of the rank's actions; in a collective call, the end of the call's steps
};
inline constexpr ActionKind kLastActionKind = ActionKind::stop;
inline constexpr unsigned kMostLevels = 4;
// Generators and tile() refuse to make more ranks.
inline constexpr std::uint64_t kMostRanks = std::uint64_t{1} << 24;
// Slot 0 belongs to blocking sends, receives and collective calls; nonblocking ones use the other slots.
inline constexpr std::uint16_t kBlockingSlot = 0;

// Where the amount of a compute action comes from.
enum class WorkDetail : std::uint8_t {
  constant,  // `seconds`
  listed,    // the next value of the stream's list, times `seconds`
};

// Persistent collective calls of a communicator are numbered from 1 on, in the order in which they are created, and
// from 1 again after this number. All members start the same call together.
inline constexpr std::uint32_t kPersistentNumbers = 255;

// Bits of a migrate action.
inline constexpr std::uint8_t kMayMove = 1;
inline constexpr std::uint8_t kLoadListed = 2;  // the rank's load in seconds is the next value of the stream's list;
                                                // without this bit it is what the simulator charged to the rank

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
enum class Addressing : std::uint8_t { absolute, relative };  // `peer` is a rank, or an offset from the own rank

// One end of a channel. The k-th message sent into a channel matches the k-th receive from it. A wildcard receive
// belongs to the channel of the message that it received. Peers are ranks of the job; `comm` is only a context. `zero`
// fills a gap, so that files contain no undefined bytes.
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

// A range of Workload::actions (the last is `stop`), a range of Workload::channels, and the number of request slots.
struct Template {
  std::uint64_t first_action = 0;
  std::uint64_t first_channel = 0;
  std::uint32_t actions = 0;
  std::uint32_t channels = 0;
  std::uint32_t requests = 1;
  std::uint32_t zero = 0;
  friend bool operator==(const Template&, const Template&) = default;
};

// One rank: a template, and the rank's own range of Workload::values.
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

// What all members' calls have in common. Where blocks differ in size (v-collectives), also the bytes of each member's
// block as far as this rank knows them; for alltoall, the bytes that it sends to each member.
struct CollectiveCall {
  CollectiveKind kind = CollectiveKind::barrier;
  std::uint8_t varies = 0;    // 1: blocks differ; set at all members, also where one knows only its own (gatherv)
  std::uint16_t element = 1;  // bytes of an element of a reduction
  std::uint32_t comm = 0;
  std::uint32_t root = 0;    // a member
  std::uint32_t counts = 0;  // one for each member; 0: this rank knows only the action's `value`
  std::uint64_t first_count = 0;
  friend bool operator==(const CollectiveCall&, const CollectiveCall&) = default;
};

// A range of Workload::members. Communicator 0 consists of all ranks and has no members listed.
struct Communicator {
  std::uint64_t first_member = 0;
  std::uint64_t members = 0;
  friend bool operator==(const Communicator&, const Communicator&) = default;
};

// A run of a job, in the form that files store.
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

// Says in one line why a workload cannot be simulated.
class WorkloadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws WorkloadError if an index is out of range, loops do not nest, or a slot or an action is invalid.
void check_workload(const Workload& workload);

// Number of actions of all ranks with loops unrolled; loop, end_loop and stop do not count.
std::uint64_t expanded_actions(const Workload& workload);

// The largest number of calls of MPI_Migrate that any rank makes.
std::uint64_t migrate_calls(const Workload& workload);

// For each channel of a template, the number of messages sent into it or received from it.
std::vector<std::uint64_t> messages_of(const Workload& workload, const Template& pattern);

}  // namespace weft::sim
