// What the processes of a job are asked through their sockets, and what they answer. Question and answer are each one
// frame (connection.hpp) that holds one of these structs, packed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pup/pup.hpp"

namespace weft::inspect {

// Tool and job must have the same: the structs have no other description.
inline constexpr std::uint32_t kVersion = 1;

enum class Subject : std::uint8_t { facts, stacks };

struct Question {
  std::uint32_t version = kVersion;
  Subject subject = Subject::facts;
  void pup(pup::Puper& p) { p | version | subject; }
};

// One process of a job.
struct ProcessFacts {
  std::string job;
  std::uint32_t process = 0, processes = 1;
  std::int64_t pid = 0;
  std::vector<std::string> hosts;  // by process
  std::string program;             // with its arguments
  std::uint32_t ranks = 0;         // of the job
  std::uint32_t ranks_here = 0;
  std::uint32_t workers = 0;  // of the job
  std::uint32_t workers_here = 0;
  std::int64_t started = 0;  // seconds since 1970
  void pup(pup::Puper& p) {
    p | job | process | processes | pid | hosts | program | ranks | ranks_here | workers | workers_here | started;
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
  void pup(pup::Puper& p) { p | activity | call | last_call | frames | ranks | waits_for; }
};

struct Stacks {
  ProcessFacts process;
  std::vector<StackGroup> groups;
  std::uint32_t ended = 0;           // ranks
  std::vector<std::string> remarks;  // why something is missing
  void pup(pup::Puper& p) { p | process | groups | ended | remarks; }
};

}  // namespace weft::inspect
