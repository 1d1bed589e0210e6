#include "runtime/bootstrap/file_transfer.hpp"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>

#include <fmt/format.h>

#include "base/host_name.hpp"
#include "base/memory_capacity.hpp"
#include "runtime/bootstrap/address_words.hpp"
#include "runtime/bootstrap/connect_with_secret.hpp"

namespace weft::bootstrap {
namespace {

// Precedes a file's bytes. kEnd in place of the image says that there are no more files.
struct FileHead {
  std::uint32_t image = 0;
  std::uint32_t file = 0;
  std::uint64_t bytes = 0;
};
constexpr std::uint32_t kEnd = ~std::uint32_t{0};
constexpr std::byte kWhole{1};                        // the answer
constexpr std::size_t kPiece = std::size_t{1} << 20;  // bytes
constexpr timeval kLongestSilence{.tv_sec = 10, .tv_usec = 0};

// Makes calls on the connection blocking, with a time limit.
void make_waiting(int fd) {
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO}) {
    ::setsockopt(fd, SOL_SOCKET, option, &kLongestSilence, sizeof kLongestSilence);
  }
}

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(fmt::format("--survive: host {}: an image is not copied: {}", base::host_name(), what));
}

void send_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0) {
      fail(std::strerror(errno));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

void receive_all(int fd, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::recv(fd, bytes.data(), bytes.size(), 0);
    if (got <= 0) {
      fail(got == 0 ? "the connection has ended" : std::strerror(errno));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

void require_room(std::uint64_t bytes, std::uint64_t held) {
  constexpr std::uint64_t kReserve = 16;  // a sixteenth of what is left stays free
  const std::uint64_t left = std::min(base::host_memory().available, base::cgroup_memory().available);
  const std::uint64_t needed = bytes - std::min(bytes, held);
  const std::uint64_t room = left - left / kReserve;
  if (needed > room) {
    fail(fmt::format("it needs {:.1f} MiB of memory more than there is",
                     static_cast<double>(needed - room) / (1 << 20)));
  }
}

void receive_file(int from, int to, std::uint64_t bytes) {
  constexpr std::uint64_t kBlock = 512;
  struct stat its {};
  if (::fstat(to, &its) != 0) {
    fail(std::strerror(errno));
  }
  require_room(bytes, static_cast<std::uint64_t>(its.st_blocks) * kBlock);
  std::vector<std::byte> piece(std::min<std::uint64_t>(kPiece, bytes));
  for (std::uint64_t done = 0; done < bytes;) {
    const auto part = std::span(piece).first(std::min<std::uint64_t>(piece.size(), bytes - done));
    receive_all(from, part);
    if (::pwrite(to, part.data(), part.size(), static_cast<off_t>(done)) != static_cast<ssize_t>(part.size())) {
      fail(std::strerror(errno));
    }
    done += part.size();
  }
  if (::ftruncate(to, static_cast<off_t>(bytes)) != 0) {
    fail(std::strerror(errno));
  }
}

}  // namespace

std::uint32_t most_of_files_hello(const Frame& hello) {
  return number_of<std::uint32_t>(std::string_view(hello.key).substr(std::strlen(kFilesHello)));
}

void send_files(const ImageFiles& images, std::uint32_t image, const std::vector<std::uint32_t>& files,
                std::uint32_t own_host, const LauncherPort& to) {
  const std::string hello = kFilesHello + std::to_string(files.empty() ? 0 : std::ranges::max(files));
  const std::unique_ptr<FrameStream> stream = connect_with_secret(to, {FrameKind::kHello, own_host, hello, to.secret});
  const int fd = stream->fd();
  make_waiting(fd);
  for (const std::uint32_t file : files) {
    const int from = images.descriptor(image, file);
    struct stat its {};
    if (::fstat(from, &its) != 0) {
      fail(std::strerror(errno));
    }
    const FileHead head{.image = image, .file = file, .bytes = static_cast<std::uint64_t>(its.st_size)};
    send_all(fd, std::as_bytes(std::span(&head, 1)));
    for (off_t offset = 0; offset < its.st_size;) {
      if (::sendfile(fd, from, &offset, static_cast<std::size_t>(its.st_size - offset)) <= 0) {
        fail(std::strerror(errno));
      }
    }
  }
  const FileHead end{.image = kEnd};
  send_all(fd, std::as_bytes(std::span(&end, 1)));
  std::byte answer{};
  receive_all(fd, std::span(&answer, 1));
}

void receive_files(const ImageFiles& images, FrameStream& from) {
  const int fd = from.fd();
  make_waiting(fd);
  for (;;) {
    FileHead head;
    receive_all(fd, std::as_writable_bytes(std::span(&head, 1)));
    if (head.image == kEnd) {
      break;
    }
    receive_file(fd, images.descriptor(head.image, head.file), head.bytes);
  }
  send_all(fd, std::span(&kWhole, 1));
}

}  // namespace weft::bootstrap
