// Connections between the tool and a process of a job, over Unix sockets. They carry frames: a length, then bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace weft::inspect {

// Owns a file descriptor; -1: none.
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

// Connects to the socket at this path if a process of this user or of root listens there. Returns an empty Descriptor
// on failure; errno then says why.
Descriptor connect_to(const std::string& path);

// Whether the process at the other end belongs to this user or to root.
bool is_same_user_or_root(const Descriptor& connection);

// Limits the time of each send and receive.
void set_timeouts(const Descriptor& connection, int seconds);

// These return false if the other end is gone or a timeout expires. The descriptor may also be a pipe, which has no
// timeout.
bool send_frame(const Descriptor& connection, std::span<const std::byte> bytes);
// Returns false for frames of more than `most` bytes.
bool receive_frame(const Descriptor& connection, std::vector<std::byte>& bytes, std::size_t most);

}  // namespace weft::inspect
