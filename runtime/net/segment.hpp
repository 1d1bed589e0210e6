// The memory that a process shares with those of its node: the rings that it reads, its workers' bells, and the
// board where it shares out copies.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "runtime/net/ring.hpp"
#include "runtime/net/shared_copy.hpp"
#include "runtime/net/transport.hpp"

namespace weft::net {

// Has no name in any file system and goes when the last process that maps it goes, whatever ends them.
class Segment {
 public:
  // Of this process; `ring_bytes` is a power of two, a page at least. Throws std::runtime_error.
  Segment(std::size_t ring_bytes, std::uint32_t workers, std::uint32_t rings = 1);
  // Another process's by its address, or this one's a second time. Throws std::runtime_error, one line for the user.
  explicit Segment(std::string_view address);
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  ~Segment();

  // One line of text, by which processes of this node get at the segment while this process lives.
  const std::string& address() const { return address_; }
  // One that all write, or one for each process that does.
  std::span<const RingView> rings() const { return rings_; }
  const RingView& ring_of(ProcessId writer) const { return rings_[rings_.size() == 1 ? 0 : number(writer)]; }
  std::span<Bell> bells() const { return bells_; }
  CopyBoard& copies() const { return *copies_; }

  pid_t owner() const { return owner_; }
  // The owner's address of memory that holds key().
  std::uint64_t key() const { return rings_.front().key; }
  std::uint64_t key_address() const { return key_address_; }

 private:
  struct Start;
  struct Sizes;
  void map(const Sizes& sizes, std::uint64_t key, bool is_owner);

  std::string address_;
  pid_t owner_ = 0;
  std::uint64_t key_address_ = 0;
  int file_ = -1;
  std::byte* memory_ = nullptr;
  std::size_t mapped_ = 0;
  std::vector<RingView> rings_;
  std::span<Bell> bells_;
  CopyBoard* copies_ = nullptr;
};

// Whether two addresses are of processes that see each other's segments: of one kernel and process namespace.
bool same_node(std::string_view one, std::string_view other);

}  // namespace weft::net
