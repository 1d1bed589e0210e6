// A rank that moves to another process or is written to a checkpoint: what of it is transferred, and how it is packed
// and installed.
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
// Call it before filling a range that has no pages yet. Long ranges are completely in use, so huge pages waste nothing
// there; page faults for small pages would take longer than the copy.
void prefer_huge_pages(const MemoryRange& range);
// Populates the range's pages at once: faulting them in one by one takes half as long again. Where the system cannot do
// that (Linux before 5.14), they are faulted in later.
void make_present(std::span<std::byte> range);

// Sent to the process where the rank is to live, which reads the memory; or written to a checkpoint, which holds the
// memory too.
struct MigrationImage {
  static constexpr ControlKind kKind = ControlKind::migration_image;
  std::uint32_t rank = 0;
  std::vector<MemoryRange> memory;  // empty for a rank that stays in its process
  std::vector<std::byte> state;     // what the runtime and the upper layer know of the rank
  void pup(pup::Puper& p) { p | rank | memory | state; }
};

// An image that has arrived, and its sender.
struct ReceivedImage {
  ProcessId from;
  MigrationImage image;
};

// The functions below are called on the main thread.

// Packs a rank that has left its worker. Afterwards nothing of it is left here but its memory.
MigrationImage pack_rank(const JobContext& job, Rank& rank, bool with_memory);
// Reads the memory of these ranks from the processes where it lies.
void read_memory(const JobContext& job, std::span<const ReceivedImage> images);
// Lets the rank, whose memory is in place, go on at this worker.
void resume_rank(const JobContext& job, Rank& rank, std::span<const std::byte> state, Worker& worker);

}  // namespace lbstep
}  // namespace weft::runtime
