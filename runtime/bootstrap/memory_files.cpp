#include "runtime/bootstrap/memory_files.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/blocked_signals.hpp"

namespace weft::bootstrap {
namespace {

constexpr const char* kSource = "weft-images";  // what the file system is called

bool write_file(const char* path, std::string_view text) {
  const int descriptor = ::open(path, O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return false;
  }
  const bool written = ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(descriptor);
  return written;
}

// Returns the descriptor of the root folder of a tmpfs that is mounted nowhere, or -1. Its size is limited only by
// memory, as that of other memory files.
int mount_tmpfs() {
  const int context = ::fsopen("tmpfs", FSOPEN_CLOEXEC);
  if (context < 0) {
    return -1;
  }
  const bool made = ::fsconfig(context, FSCONFIG_SET_STRING, "source", kSource, 0) == 0 &&
                    ::fsconfig(context, FSCONFIG_SET_STRING, "huge", "always", 0) == 0 &&
                    ::fsconfig(context, FSCONFIG_SET_STRING, "size", "0", 0) == 0 &&
                    ::fsconfig(context, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) == 0;
  const int folder =
      made ? ::fsmount(context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC) : -1;
  ::close(context);
  return folder;
}

// Forks a child that shares this process's descriptors (fork() cannot share them) and has a copy of its memory. Returns
// 0 in the child.
pid_t child_with_descriptors(unsigned long namespaces) {
  return static_cast<pid_t>(::syscall(SYS_clone, CLONE_FILES | namespaces | SIGCHLD, nullptr, nullptr, nullptr, 0UL));
}

// Users may mount such a file system in a user namespace of their own (user_namespaces(7)), unless the kernel's
// settings forbid it. This process does not change its namespace: a child is created in the new one, replaces `folder`
// by the file system, and ends.
int new_file_system() {
  const std::string users = fmt::format("{0} {0} 1", ::geteuid());
  const std::string groups = fmt::format("{0} {0} 1", ::getegid());
  const int folder = ::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
  const base::BlockedSignals blocked;  // no handler runs in the child
  const pid_t child = folder < 0 ? -1 : child_with_descriptors(CLONE_NEWUSER | CLONE_NEWNS);
  if (child == 0) {
    const bool mapped = write_file("/proc/self/setgroups", "deny") && write_file("/proc/self/uid_map", users) &&
                        write_file("/proc/self/gid_map", groups);
    const int made = mapped ? mount_tmpfs() : -1;
    if (made >= 0) {
      ::dup3(made, folder, O_CLOEXEC);
      ::close(made);
    }
    ::_exit(0);
  }
  while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  struct statfs system {};
  if (folder >= 0 && (::fstatfs(folder, &system) != 0 || system.f_type != TMPFS_MAGIC)) {
    ::close(folder);
    return -1;
  }
  return folder;
}

}  // namespace

MemoryFiles::MemoryFiles() : folder_(mount_tmpfs()) {
  if (folder_ < 0) {  // only administrators may do that in this namespace
    folder_ = new_file_system();
  }
}

MemoryFiles::~MemoryFiles() {
  if (folder_ >= 0) {
    ::close(folder_);
  }
}

int MemoryFiles::create(const std::string& name) const {
  const int descriptor = ::openat(folder_, name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return ::memfd_create(name.c_str(), MFD_CLOEXEC);
  }
  ::unlinkat(folder_, name.c_str(), 0);
  return descriptor;
}

}  // namespace weft::bootstrap
