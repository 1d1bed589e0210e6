#include "inspect/job_socket.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "base/user_folder.hpp"
#include "inspect/job_folders.hpp"

namespace weft::inspect {
namespace {

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

// Creates a listening socket at the path.
Descriptor bind_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    fail(path);
  }
  std::ranges::copy(path, address.sun_path);
  Descriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener) {
    fail("a socket");
  }
  ::unlink(path.c_str());
  if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::chmod(path.c_str(), 0600) != 0 || ::listen(listener.get(), 16) != 0) {
    fail(path);
  }
  return listener;
}

}  // namespace

JobSocket::JobSocket(const std::string& job, std::uint32_t process) {
  const std::string above = base::user_folder();
  if (above.empty()) {
    throw std::runtime_error("no folder that is this user's alone");
  }
  const std::string jobs = above + "/jobs";
  folder_ = jobs + "/" + job;
  path_ = folder_ + "/" + socket_name(process);
  // Another process may remove the empty folder before there is a socket in it.
  constexpr int kMostTries = 100;
  for (int tries = 0; !listener_; ++tries) {
    if ((::mkdir(jobs.c_str(), 0700) != 0 && errno != EEXIST) ||
        (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST)) {
      fail(folder_);
    }
    if (connect_to(path_)) {
      throw std::runtime_error(path_ + ": another process listens there");
    }
    try {
      listen_at(folder_ + "/new-" + std::to_string(process));
    } catch (const std::runtime_error&) {
      if (errno != ENOENT || tries == kMostTries) {
        throw;
      }
    }
  }
}

// The socket gets its name only when it listens, so that whoever finds it can connect.
void JobSocket::listen_at(const std::string& at_first) {
  Descriptor listener = bind_at(at_first);
  if (::rename(at_first.c_str(), path_.c_str()) != 0) {
    fail(path_);
  }
  listener_ = std::move(listener);
}

void JobSocket::remove_sockets_from(std::uint32_t process) const {
  while (::unlink((folder_ + "/" + socket_name(process)).c_str()) == 0) {
    ++process;
  }
}

Descriptor JobSocket::accept() const {
  Descriptor connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (connection && !is_same_user_or_root(connection)) {
    return Descriptor();
  }
  return connection;
}

void JobSocket::withdraw() const noexcept {
  const int kept = errno;
  ::unlink(path_.c_str());
  ::rmdir(folder_.c_str());
  errno = kept;
}

}  // namespace weft::inspect
