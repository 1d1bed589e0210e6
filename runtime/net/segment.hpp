// The memory that a process shares with the others on its node: the rings that it reads, its workers' doorbells, and
// the description of the copy that it offers to share.
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

// Has no name in any file system. It is freed when the last process that maps it ends, however that happens. The object
// is constant after construction; RingControl, Doorbell and CopyOffer say who writes to the memory that it maps.
class Segment {
 public:
  // Creates this process's segment. `ring_bytes` is a power of two, at least a page. Throws std::runtime_error.
  Segment(std::size_t ring_bytes, std::uint32_t workers, std::uint32_t rings = 1);
  // Maps the segment of another process by its address, or this process's own a second time. Throws std::runtime_error,
  // one line for the user.
  explicit Segment(std::string_view address);
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  ~Segment();

  // One line of text, by which other processes of this node can map the segment while this process lives.
  const std::string& address() const { return address_; }
  // One ring that all processes write to, or one for each process.
  std::span<const RingView> rings() const { return rings_; }
  const RingView& ring_of(ProcessId writer) const { return rings_[rings_.size() == 1 ? 0 : number(writer)]; }
  std::span<Doorbell> doorbells() const { return doorbells_; }
  CopyOffer& copy_offer() const { return *copy_offer_; }

  pid_t owner() const { return owner_; }
  // key(): a random number, to which a record's position is added to make its tag. key_address(): where that number
  // lies in the owner's memory, so that a peer can try whether the kernel lets it read there.
  std::uint64_t key() const { return rings_.front().key; }
  std::uint64_t key_address() const { return key_address_; }

 private:
  struct Header;
  struct Sizes;
  // The other constructors begin with this one: where they throw, the destructor frees what they have opened so far.
  Segment() = default;
  void map(const Sizes& sizes, std::uint64_t key, bool is_owner);

  std::string address_;
  pid_t owner_ = 0;
  std::uint64_t key_address_ = 0;
  int file_ = -1;
  std::byte* memory_ = nullptr;
  std::size_t mapped_ = 0;
  std::vector<RingView> rings_;
  std::span<Doorbell> doorbells_;
  CopyOffer* copy_offer_ = nullptr;
};

// Whether the processes of these two addresses can map each other's segments: same kernel and process namespace.
bool same_node(std::string_view one, std::string_view other);

}  // namespace weft::net
