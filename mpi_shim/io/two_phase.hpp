// Collective access in two phases: what a member shows the others, and who moves which part of the file.
#pragma once

#include <vector>

#include "mpi_shim/io/access.hpp"
#include "mpi_shim/io/coverage.hpp"

namespace weft::mpi_shim::io {

// The addresses are good where members share memory, until they have synchronized again.
struct Offer {
  const FileMap* map = nullptr;
  const runtime::Buffer* memory = nullptr;
  std::uint64_t begin = 0, end = 0;  // positions in the view
  std::uint64_t low = 0, high = 0;   // the file's bytes from the first to behind the last
  std::uint64_t run = UINT64_MAX;    // bytes that lie together, about
  bool sorted = true;
  bool atomic = false;
  bool writes = false;
  // Member 0's hold for all.
  std::uint64_t file_bytes = 0;
  std::uint64_t aggregators = 0, window = 0;
  enum class CollectiveBuffering : std::uint8_t {
    automatic,
    enable,
    disable
  } buffering = CollectiveBuffering::automatic;
  int error = 0;                // an errno
  std::uint64_t map_bytes = 0;  // where members do not share memory

  bool empty() const { return begin == end; }
};

// A run of the file.
struct FileRange {
  std::uint64_t low = 0, high = 0;
  bool empty() const { return low >= high; }
};

// How the file's stretch that all members together want is divided: equal at all members.
class Division {
 public:
  Division(const std::vector<Offer>& offers, int members);

  int aggregators() const { return aggregators_; }
  int member_of(int aggregator) const { return aggregator * members_ / aggregators_; }
  int aggregator_at(int member) const;  // -1: none
  std::uint64_t rounds() const { return (domain_ + window_ - 1) / window_; }
  // What the aggregator moves in one round.
  FileRange window(int aggregator, std::uint64_t round) const;
  std::size_t window_bytes() const { return window_; }

 private:
  FileRange whole_;
  int members_;
  int aggregators_;
  std::uint64_t domain_ = 0;  // bytes of an aggregator's share
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

// An aggregator's memory.
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

// Collective, suspend. 0 or the errno of what this member has moved as an aggregator. `offers` are clipped to the file.
int move_in_memory(PosixFile& posix, const Communicator& comm, const std::vector<Offer>& offers,
                   const Division& division);
int move_by_messages(const Entry& entry, PosixFile& posix, const Communicator& comm, const std::vector<Offer>& offers,
                     const Division& division);

}  // namespace weft::mpi_shim::io
