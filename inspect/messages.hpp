// The questions to the processes of a job and their answers. Each is one frame (connection.hpp) that holds one of these
// structs, packed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pup/pup.hpp"

namespace weft::inspect {

// Tool and job need the same version, since packed structs have no other description.
inline constexpr std::uint32_t kVersion = 6;

enum class Subject : std::uint8_t { facts, stacks, counters, progress, resize };

// What a question with the subject `resize` requests. `state` changes nothing: it only asks for the ResizeState.
enum class Change : std::uint8_t { state, count, more_on_host, leave_host };
constexpr std::size_t kMostHostBytes = 320;  // of a name, with USER@

// All questions have the same size when packed.
struct Question {
  std::uint32_t version = kVersion;
  Subject subject = Subject::facts;
  Change change = Change::state;
  std::uint32_t processes = 0;              // the job's new number of processes; for more_on_host: additional ones
  std::array<char, kMostHostBytes> host{};  // the name, then zeros
  void pup(pup::Puper& p) {
    p | version | subject | change | processes;
    p.bytes(std::as_writable_bytes(std::span(host)));
  }
};

// One process of a job.
struct ProcessFacts {
  std::string job;
  std::uint32_t process = 0, processes = 1;
  std::int64_t pid = 0;
  std::vector<std::string> hosts;  // by process: the name by which `agent` reaches its host
  std::string agent;               // runs a shell command on another host: bootstrap::agent_command()
  std::string program;             // with its arguments
  std::uint32_t ranks = 0;         // of the job
  std::uint32_t ranks_here = 0;
  std::uint32_t workers = 0;  // of the job
  std::uint32_t workers_here = 0;
  std::int64_t started = 0;  // seconds since 1970
  void pup(pup::Puper& p) {
    p | job | process | processes | pid | hosts | agent | program | ranks | ranks_here | workers | workers_here |
        started;
  }
};

// The state in which a rank was found.
enum class Activity : std::uint8_t {
  waits,     // suspended until an event
  ready,     // runnable, but another rank runs on its worker
  computes,  // runs
  blocked,   // blocks its worker's thread in a system call
  begins,    // has not entered main()
  moves,     // between two workers or processes
  unknown    // its worker could not be stopped
};
// "waits"
std::string_view name_of(Activity activity);

struct StackFrame {
  std::string function;       // empty if unknown
  std::string file;           // the program or library
  std::uint64_t address = 0;  // of the instruction or the call, relative to the file's load address
  bool is_program = false;    // of the user's program, not Weft's or the system's
  void pup(pup::Puper& p) { p | function | file | address | is_program; }
  auto operator<=>(const StackFrame&) const = default;
};

using RankRange = std::pair<std::uint32_t, std::uint32_t>;  // first and last

// Ranks with the same activity and the same stack.
struct StackGroup {
  Activity activity = Activity::unknown;
  std::string call;                // MPI call that they are in, such as "MPI_Recv"; empty: none
  std::string last_call;           // if they are in no call: their last MPI call; empty: none
  std::vector<StackFrame> frames;  // the innermost first; empty if unknown
  std::vector<RankRange> ranks;    // ascending
  // What some of them wait for, such as "from rank 3, tag 7"; incomplete if there are too many different texts.
  std::vector<std::pair<std::string, std::vector<RankRange>>> waits_for;
  std::vector<RankRange> with_unexpected;  // ranks that wait for a message and have unexpected messages
  void pup(pup::Puper& p) { p | activity | call | last_call | frames | ranks | waits_for | with_unexpected; }
};

struct Stacks {
  ProcessFacts process;
  std::vector<StackGroup> groups;
  std::uint32_t ended = 0;           // ranks
  std::vector<std::string> remarks;  // why something is missing
  void pup(pup::Puper& p) { p | process | groups | ended | remarks; }
};

// Counters of a rank since its start, on all its workers. They are read while the rank runs, so each is correct but
// they may not be consistent with each other.
struct RankCounters {
  static constexpr std::uint64_t kUnknown = UINT64_MAX;

  std::uint32_t rank = 0;
  std::uint32_t worker = 0;  // of the job
  Activity activity = Activity::unknown;
  std::uint32_t call = 0;           // its current or last call: an index of Counters::calls
  double seconds = 0;               // for which it ran
  std::uint64_t messages = 0;       // sent
  std::uint64_t bytes = 0;          // sent
  std::uint64_t memory = kUnknown;  // bytes in pages that it has written; may date from an earlier question
  std::uint32_t moves = 0;          // between workers
  void pup(pup::Puper& p) { p | rank | worker | activity | call | seconds | messages | bytes | memory | moves; }
};

// Times of a worker since its start, in seconds: see lb::ThreadTimes and lb::CoreUse.
struct WorkerCounters {
  std::uint32_t worker = 0;  // of the job
  double at = 0, ran = 0, slept = 0, blocked = 0, waited = 0;
  bool is_bound = false;  // to a core; the next two are the core's times
  double core_idle = 0, core_stolen = 0;
  void pup(pup::Puper& p) { p | worker | at | ran | slept | blocked | waited | is_bound | core_idle | core_stolen; }
};

struct Counters {
  ProcessFacts process;
  double at = 0;  // seconds of CLOCK_MONOTONIC, the same for all processes of the host
  std::vector<std::string> calls;
  std::vector<WorkerCounters> workers;
  std::vector<RankCounters> ranks;  // ranks in this process, ascending
  std::uint32_t ended = 0;          // ranks
  void pup(pup::Puper& p) { p | process | at | calls | workers | ranks | ended; }
};

// The progress of a process's ranks, as a number that stays the same only while none of them makes progress: messages
// sent, MPI calls completed (Rank::completed_calls), ranks that have ended.
struct Progress {
  std::uint64_t done = 0;
  void pup(pup::Puper& p) { p | done; }
};

// The answer of process 0 on a change of the number of processes.
struct ResizeState {
  std::uint32_t processes = 0;  // of the job now
  std::uint32_t workers = 0;    // of all processes
  std::uint32_t wanted = 0;     // processes of the job after a later image; 0: no change
  std::string refusal;          // why the last question was refused
  std::int64_t pid = 0;         // of the answering process
  void pup(pup::Puper& p) { p | processes | workers | wanted | refusal | pid; }
};

// A question to another `weft` process on another host (tools/weft/relay.hpp), and the packed answers of the job's
// processes there.
struct RelayedQuestion {
  Question question;
  std::int32_t seconds = 0;  // timeout of an answer
  void pup(pup::Puper& p) { p | question | seconds; }
};
struct RelayedAnswers {
  std::vector<std::pair<std::uint32_t, std::vector<std::byte>>> processes;
  void pup(pup::Puper& p) { p | processes; }
};

}  // namespace weft::inspect
