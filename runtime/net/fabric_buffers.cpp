#include "runtime/net/fabric_buffers.hpp"

#include <sys/mman.h>

#include <new>

namespace weft::net {
namespace {

constexpr std::size_t kReceives = 64;
constexpr std::size_t kShortSends = 1024;
constexpr std::size_t kLongSends = 192;
// Pages are touched when a message needs them.
constexpr std::size_t kArena = (kReceives + kLongSends) * FabricBuffers::kLongest + kShortSends * FabricBuffers::kShort;

}  // namespace

FabricBuffers::FabricBuffers() {
  void* memory = mmap(nullptr, kArena, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::bad_alloc();
  }
  arena_ = {static_cast<std::byte*>(memory), kArena};
  cut(receives_, kReceives, kLongest, FabricOperation::Kind::receive);
  for (FabricOperation& send : cut(long_, kLongSends, kLongest, FabricOperation::Kind::send)) {
    free_long_.push_back(&send);
  }
  for (FabricOperation& send : cut(short_, kShortSends, kShort, FabricOperation::Kind::send)) {
    free_short_.push_back(&send);
  }
}

FabricBuffers::~FabricBuffers() { munmap(arena_.data(), arena_.size()); }

std::span<FabricOperation> FabricBuffers::cut(std::vector<FabricOperation>& operations, std::size_t count,
                                              std::size_t bytes, FabricOperation::Kind kind) {
  operations.resize(count);
  for (FabricOperation& operation : operations) {
    operation.kind = kind;
    operation.buffer = arena_.subspan(used_, bytes);
    used_ += bytes;
  }
  return operations;
}

FabricOperation* FabricBuffers::take(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto& free = bytes <= kShort ? free_short_ : free_long_;
  if (free.empty()) {
    return nullptr;
  }
  FabricOperation* taken = free.back();
  free.pop_back();
  return taken;
}

void FabricBuffers::give(FabricOperation& send) {
  const std::lock_guard lock(mutex_);
  (send.buffer.size() == kShort ? free_short_ : free_long_).push_back(&send);
}

}  // namespace weft::net
