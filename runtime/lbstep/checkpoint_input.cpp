#include "runtime/lbstep/checkpoint_input.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/checksum.hpp"
#include "runtime/bootstrap/checkpoint_error.hpp"
#include "runtime/lbstep/memory_pieces.hpp"

namespace weft::runtime {
inline namespace lbstep {

// O_NONBLOCK: opening a fifo must not wait for its other end.
CheckpointInput::CheckpointInput(std::string path, bool in_memory)
    : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_ < 0) {
    bootstrap::refuse_with_errno(path_, "open");
  }
  struct stat its {};
  if (::fstat(descriptor_, &its) != 0 || !S_ISREG(its.st_mode)) {
    ::close(descriptor_);
    bootstrap::refuse_checkpoint(path_, "it is no regular file");
  }
  size_ = static_cast<std::uint64_t>(its.st_size);
  void* const place =
      in_memory && size_ != 0 ? ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor_, 0) : MAP_FAILED;
  if (place != MAP_FAILED) {
    mapped_ = {static_cast<const std::byte*>(place), size_};
  }
}

CheckpointInput::~CheckpointInput() {
  if (!mapped_.empty()) {
    ::munmap(const_cast<std::byte*>(mapped_.data()), mapped_.size());
  }
  ::close(descriptor_);
}

void CheckpointInput::read(std::span<std::byte> into, std::uint64_t offset) const {
  while (!into.empty()) {
    const ssize_t got = ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0 && errno != EINTR) {
      bootstrap::refuse_with_errno(path_, "read");
    }
    if (got == 0) {
      bootstrap::refuse_checkpoint(path_, "it is cut short");
    }
    into = into.subspan(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    offset += static_cast<std::uint64_t>(std::max<ssize_t>(got, 0));
  }
}

void CheckpointInput::read(std::span<std::byte> into, std::uint64_t offset, std::vector<std::uint32_t>& sums) const {
  while (!into.empty()) {
    const auto piece = into.first(next_piece(into).size());
    const bool is_mapped = offset + piece.size() <= mapped_.size();
    if (!is_mapped) {
      read(piece, offset);
    }
    for_each_page(piece, [&](std::span<const std::byte> part) {
      base::Checksum sum;
      if (is_mapped) {
        const auto at = static_cast<std::size_t>(part.data() - piece.data());
        sum.add_and_copy(mapped_.subspan(offset + at, part.size()), piece.data() + at);
      } else {
        sum.add(part);
      }
      sums.push_back(sum.value());
    });
    base::Checksum::copies_are_done();
    offset += piece.size();
    into = into.subspan(piece.size());
  }
}

}  // namespace lbstep
}  // namespace weft::runtime
