// Two-phase collective access: what members tell each other about their accesses, and the division of the file among
// aggregators.
#pragma once

#include <cstdint>
#include <vector>

#include "mpi_shim/io/access.hpp"
#include "mpi_shim/io/coverage.hpp"

namespace weft::mpi_shim::io {

// One member's access, as the others see it. The pointers are valid only if the members share memory, until the next
// synchronization.
struct AccessSummary {
  const FileMap* map = nullptr;
  const runtime::Buffer* memory = nullptr;
  std::uint64_t begin = 0, end = 0;  // positions in the view
  std::uint64_t low = 0, high = 0;   // file range [low, high) that contains all of the data
  std::uint64_t run = UINT64_MAX;    // typical bytes of a contiguous run
  bool sorted = true;
  bool atomic = false;
  bool writes = false;
  // The values of member 0 apply to all.
  std::uint64_t file_bytes = 0;
  std::uint64_t aggregators = 0, window = 0;
  enum class CollectiveBuffering : std::uint8_t {
    automatic,
    enable,
    disable
  } buffering = CollectiveBuffering::automatic;
  int error = 0;                // an errno
  std::uint64_t map_bytes = 0;  // of the packed map, if members do not share memory

  bool empty() const { return begin == end; }
};

// Bytes [low, high) of the file.
struct FileRange {
  std::uint64_t low = 0, high = 0;
  bool empty() const { return low >= high; }
};

// Divides the file range that the members access together among the aggregators (file domains), and each domain into
// windows. Equal on all members.
class FileDomains {
 public:
  FileDomains(const std::vector<AccessSummary>& summaries, int members);

  int aggregators() const { return aggregators_; }
  int member_of(int aggregator) const { return static_cast<int>(std::int64_t{aggregator} * members_ / aggregators_); }
  int aggregator_at(int member) const;  // -1: none
  std::uint64_t rounds() const { return (domain_bytes_ + window_ - 1) / window_; }
  // The range that the aggregator transfers in one round.
  FileRange window(int aggregator, std::uint64_t round) const;
  std::size_t window_bytes() const { return window_; }

 private:
  FileRange whole_;
  int members_;
  int aggregators_;
  std::uint64_t domain_bytes_ = 0;  // of each aggregator's domain
  std::uint64_t window_;
};

// A member's bytes in one window: positions [begin, end) of its view; `memory` holds them from position `first` on.
struct Share {
  const FileMap* map = nullptr;
  std::uint64_t begin = 0, end = 0;
  runtime::Buffer memory;
  std::uint64_t first = 0;

  bool empty() const { return begin >= end; }
};
Share share_in(const FileMap& map, std::uint64_t begin, std::uint64_t end, FileRange window);

// The memory of an aggregator for one window.
class WindowBuffer {
 public:
  explicit WindowBuffer(std::size_t bytes) : bytes_(new std::byte[bytes]), covered_(bytes) {}
  // 0 or an errno.
  int write(PosixFile& posix, FileRange window, const std::vector<Share>& shares);
  int read(PosixFile& posix, const std::vector<Share>& shares);

 private:
  std::unique_ptr<std::byte[]> bytes_;
  Coverage covered_;
};

// Collective; access_by_messages() suspends the rank. 0, or the errno of this member's transfers as an aggregator. For
// reads `summaries` end at the end of the file: in memory those of all members, by messages the member's own, since
// aggregators clip the others themselves.
int access_in_memory(PosixFile& posix, const Communicator& comm, const std::vector<AccessSummary>& summaries,
                     const FileDomains& domains);
int access_by_messages(const Entry& entry, PosixFile& posix, const Communicator& comm,
                       const std::vector<AccessSummary>& summaries, const FileDomains& domains);

}  // namespace weft::mpi_shim::io
