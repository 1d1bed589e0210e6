// A rank on its way to another process or to a checkpoint file: what of it travels, and how it is packed and installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "pup/pup.hpp"
#include "runtime/control/control_message.hpp"

namespace weft::runtime {
inline namespace control {
class Rank;
struct JobContext;
}  // namespace control

inline namespace sched {
class Worker;
}  // namespace sched

inline namespace lbstep {

// A range of the rank's memory, at the same address in both processes.
struct MemoryRange {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  void pup(pup::Puper& p) { p | address | bytes; }
};

std::vector<std::span<std::byte>> spans_of(const std::vector<MemoryRange>& memory);
// Before a range is filled that is not in memory yet. Long ranges are all in use, so huge pages waste nothing there;
// page by page, faults would take longer than the copy.
void prefer_huge_pages(const MemoryRange& range);
// Gives the pages to the range at once: to fault them in one by one takes half as long again. Where the system cannot
// do that (Linux before 5.14), they are.
void make_present(std::span<std::byte> range);

// To the process where the rank is to live, which reads the memory; or into a checkpoint, with the memory behind it.
struct MigrationImage {
  static constexpr ControlKind kKind = ControlKind::migration_image;
  std::uint32_t rank = 0;
  std::vector<MemoryRange> memory;  // none of a rank that stays in its process
  std::vector<std::byte> state;     // what the runtime and the layer above know of the rank
  void pup(pup::Puper& p) { p | rank | memory | state; }
};

// One that has come, and the process that it has come from.
struct ReceivedImage {
  ProcessId from;
  MigrationImage image;
};

// All on the main thread.

// Of a rank that has left its worker. It is nowhere afterwards but for its memory.
MigrationImage pack_rank(const JobContext& job, Rank& rank, bool with_memory);
// Reads the memory of these ranks, where it lies in other processes.
void read_memory(const JobContext& job, std::span<const ReceivedImage> images);
// The rank, whose memory is in place, goes on at this worker.
void resume_rank(const JobContext& job, Rank& rank, std::span<const std::byte> state, Worker& worker);

}  // namespace lbstep
}  // namespace weft::runtime
