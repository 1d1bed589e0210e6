#include "runtime/bootstrap/frame.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace weft::bootstrap {
namespace {

// Precedes key and value.
struct Head {
  std::uint32_t kind, number;
  std::uint32_t key_bytes, value_bytes;
};

}  // namespace

FrameStream::~FrameStream() { ::close(fd_); }

bool FrameStream::receive() {
  std::array<char, 16384> bytes;  // no more, since weftrun may have a small stack
  ssize_t count = 0;
  do {
    count = ::recv(fd_, bytes.data(), bytes.size(), 0);
  } while (count < 0 && errno == EINTR);
  if (count < 0) {
    return errno == EAGAIN;
  }
  input_.append(bytes.data(), static_cast<std::size_t>(count));
  return count > 0;
}

std::optional<Frame> FrameStream::next() {
  Head head;
  if (input_.size() - taken_ < sizeof head) {
    return std::nullopt;
  }
  std::memcpy(&head, input_.data() + taken_, sizeof head);
  const std::size_t bytes = std::size_t{head.key_bytes} + head.value_bytes;
  if (head.kind > static_cast<std::uint32_t>(kLastFrameKind) || bytes > most_) {
    throw std::runtime_error("found a message of kind " + std::to_string(head.kind) + " and " + std::to_string(bytes) +
                             " bytes, expected one of Weft's: use one version of Weft on all hosts");
  }
  if (input_.size() - taken_ - sizeof head < bytes) {
    return std::nullopt;
  }
  const auto key = taken_ + sizeof head;
  Frame frame{static_cast<FrameKind>(head.kind), head.number, input_.substr(key, head.key_bytes),
              input_.substr(key + head.key_bytes, head.value_bytes)};
  taken_ = key + bytes;
  if (taken_ == input_.size()) {
    input_.clear();
    taken_ = 0;
  }
  return frame;
}

void FrameStream::append(const Frame& frame) {
  if (!has_output()) {
    output_.clear();
    sent_ = 0;
  }
  const Head head{static_cast<std::uint32_t>(frame.kind), frame.number, static_cast<std::uint32_t>(frame.key.size()),
                  static_cast<std::uint32_t>(frame.value.size())};
  output_.append(reinterpret_cast<const char*>(&head), sizeof head).append(frame.key).append(frame.value);
}

void FrameStream::send_at_once(FrameKind kind, std::uint32_t number, std::string_view value) const {
  std::array<char, 512> bytes;
  value = value.substr(0, bytes.size() - sizeof(Head));
  const Head head{static_cast<std::uint32_t>(kind), number, 0, static_cast<std::uint32_t>(value.size())};
  std::memcpy(bytes.data(), &head, sizeof head);
  std::memcpy(bytes.data() + sizeof head, value.data(), value.size());
  if (::send(fd_, bytes.data(), sizeof head + value.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    return;  // the launcher knows less then
  }
}

bool FrameStream::flush() {
  ssize_t count = 0;
  do {
    count = ::send(fd_, output_.data() + sent_, output_.size() - sent_, MSG_NOSIGNAL);
  } while (count < 0 && errno == EINTR);
  if (count < 0) {
    return errno == EAGAIN;
  }
  sent_ += static_cast<std::size_t>(count);
  return true;
}

void FrameStream::shut_down() { ::shutdown(fd_, SHUT_RDWR); }

}  // namespace weft::bootstrap
