// Connections between the tool and a process of a job, over Unix sockets: frames of bytes, each after its length.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace weft::inspect {

// A descriptor that is closed with it; -1: none.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

// Connects with the socket at this path, whose other end must be a process of this user or of root. None where nobody
// listens; errno then says why.
Descriptor connect_to(const std::string& path);

// Whether the process at the other end is this user's, or root's.
bool is_of_this_user(const Descriptor& connection);

// No single operation on it takes longer.
void limit_waiting(const Descriptor& connection, int seconds);

// False where the other end is gone, or does not answer in time. Either may be a pipe, too, without a limit.
bool send_frame(const Descriptor& connection, std::span<const std::byte> bytes);
// At most `most` bytes: false beyond.
bool receive_frame(const Descriptor& connection, std::vector<std::byte>& bytes, std::size_t most);

}  // namespace weft::inspect
