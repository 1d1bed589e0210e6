// What the processes of a job are asked through their sockets, and what they answer. Question and answer are each one
// frame (connection.hpp) that holds one of these structs, packed.
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

// Tool and job must have the same: the structs have no other description.
inline constexpr std::uint32_t kVersion = 6;

enum class Subject : std::uint8_t { facts, stacks, counters, progress, resize };

// What resize asks for; state: only how far that is.
enum class Change : std::uint8_t { state, count, more_on_host, leave_host };
constexpr std::size_t kMostHostBytes = 320;  // of a name, with USER@

// All are of one size when they are packed.
struct Question {
  std::uint32_t version = kVersion;
  Subject subject = Subject::facts;
  Change change = Change::state;
  std::uint32_t processes = 0;              // how many the job is to have, or more_on_host
  std::array<char, kMostHostBytes> host{};  // zeroes behind the name
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
  std::vector<std::string> hosts;  // by process: the names by which `agent` reaches them
  std::string agent;               // starts a line of shell on another host: bootstrap::agent_command()
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

// What a rank was found doing.
enum class Activity : std::uint8_t {
  waits,     // suspended until something comes
  ready,     // could go on, but another rank has its worker
  computes,  // runs
  blocked,   // holds its worker's thread in a system call
  begins,    // its main() has not been entered
  moves,     // between two workers or processes
  unknown    // its worker could not be stopped
};
// "waits"
std::string_view name_of(Activity activity);

struct StackFrame {
  std::string function;       // empty if unknown
  std::string file;           // the program or library
  std::uint64_t address = 0;  // of the instruction, or in the call, counted from the file's own zero
  bool is_program = false;    // of the user's program, not Weft's or the system's
  void pup(pup::Puper& p) { p | function | file | address | is_program; }
  auto operator<=>(const StackFrame&) const = default;
};

using RankRange = std::pair<std::uint32_t, std::uint32_t>;  // first and last

// Ranks that do the same at the same place.
struct StackGroup {
  Activity activity = Activity::unknown;
  std::string call;                // that they are in, such as "MPI_Recv"; empty: none
  std::string last_call;           // of those that are in none: the MPI call before; empty: none
  std::vector<StackFrame> frames;  // the innermost first; empty if unknown
  std::vector<RankRange> ranks;    // ascending
  // What some of them wait for, such as "from rank 3, tag 7", as far as it is not the same text for too many ranks.
  std::vector<std::pair<std::string, std::vector<RankRange>>> waits_for;
  std::vector<RankRange> unasked;  // of those that wait for a message: to which others have come
  void pup(pup::Puper& p) { p | activity | call | last_call | frames | ranks | waits_for | unasked; }
};

struct Stacks {
  ProcessFacts process;
  std::vector<StackGroup> groups;
  std::uint32_t ended = 0;           // ranks
  std::vector<std::string> remarks;  // why something is missing
  void pup(pup::Puper& p) { p | process | groups | ended | remarks; }
};

// What has been counted of a rank since it began, wherever it was. Read while it runs: each is right by itself.
struct RankCounters {
  static constexpr std::uint64_t kUnknown = UINT64_MAX;

  std::uint32_t rank = 0;
  std::uint32_t worker = 0;  // of the job
  Activity activity = Activity::unknown;
  std::uint32_t call = 0;           // that it is in or was last in, in Counters::calls
  double seconds = 0;               // that it ran
  std::uint64_t messages = 0;       // that it has sent
  std::uint64_t bytes = 0;          // in them
  std::uint64_t memory = kUnknown;  // bytes in pages that it has written, which may be some questions old
  std::uint32_t moves = 0;          // from worker to worker
  void pup(pup::Puper& p) { p | rank | worker | activity | call | seconds | messages | bytes | memory | moves; }
};

// A worker's life so far, in seconds: see lb::ThreadTimes and lb::CoreUse.
struct WorkerCounters {
  std::uint32_t worker = 0;  // of the job
  double at = 0, ran = 0, slept = 0, blocked = 0, waited = 0;
  bool is_bound = false;  // to a core, whose times these are
  double core_idle = 0, core_stolen = 0;
  void pup(pup::Puper& p) { p | worker | at | ran | slept | blocked | waited | is_bound | core_idle | core_stolen; }
};

struct Counters {
  ProcessFacts process;
  double at = 0;  // seconds of CLOCK_MONOTONIC, the same for all processes of the host
  std::vector<std::string> calls;
  std::vector<WorkerCounters> workers;
  std::vector<RankCounters> ranks;  // that live here, ascending
  std::uint32_t ended = 0;          // ranks
  void pup(pup::Puper& p) { p | process | at | calls | workers | ranks | ended; }
};

// What the ranks of a process have done so far, in a number that stays the same only while none of them gets on:
// messages sent, MPI calls completed (Rank::completed_calls), ranks that have ended.
struct Progress {
  std::uint64_t done = 0;
  void pup(pup::Puper& p) { p | done; }
};

// Of process 0: whether the job will have other processes.
struct ResizeState {
  std::uint32_t processes = 0;  // that it has
  std::uint32_t workers = 0;    // of all of them
  std::uint32_t wanted = 0;     // that it will have from a later image on; 0: the same
  std::string refusal;          // why it will not have those that it was asked for last
  std::int64_t pid = 0;         // of the process that says so
  void pup(pup::Puper& p) { p | processes | workers | wanted | refusal | pid; }
};

// What `weft` asks itself on another host (tools/weft/relay.hpp), and the packed answers of the job's processes there.
struct RelayedQuestion {
  Question question;
  std::int32_t seconds = 0;  // that an answer may take
  void pup(pup::Puper& p) { p | question | seconds; }
};
struct RelayedAnswers {
  std::vector<std::pair<std::uint32_t, std::vector<std::byte>>> processes;
  void pup(pup::Puper& p) { p | processes; }
};

}  // namespace weft::inspect
