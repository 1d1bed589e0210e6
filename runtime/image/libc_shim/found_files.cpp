// Identifies files and checks whether a rank will find them again by their paths where it goes.
#include "runtime/image/libc_shim/found_files.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

namespace weft::shim {
namespace {

enum class Reach { kSystem, kHost, kHosts };

// Which processes find the same file by this path.
Reach reach_of(const char* path) {
  struct statfs system = {};
  if (statfs(path, &system) != 0) {
    return Reach::kHost;
  }
  constexpr unsigned kLustre = 0x0BD00BD0, kGpfs = 0x47504653, kBeegfs = 0x19830326, kPanfs = 0xAAD7AAEA;
  constexpr unsigned kOrangefs = 0x20030528, kGfs2 = 0x01161970;
  switch (static_cast<unsigned>(system.f_type)) {
    case PROC_SUPER_MAGIC:
    case SYSFS_MAGIC:
    case CGROUP_SUPER_MAGIC:
    case CGROUP2_SUPER_MAGIC:
    case DEBUGFS_MAGIC:
    case TRACEFS_MAGIC:
      return Reach::kSystem;
    case NFS_SUPER_MAGIC:
    case SMB_SUPER_MAGIC:
    case CIFS_SUPER_MAGIC:
    case SMB2_SUPER_MAGIC:
    case CEPH_SUPER_MAGIC:
    case OCFS2_SUPER_MAGIC:
    case AFS_SUPER_MAGIC:
    case kLustre:
    case kGpfs:
    case kBeegfs:
    case kPanfs:
    case kOrangefs:
    case kGfs2:
      return Reach::kHosts;
    default:
      return Reach::kHost;
  }
}

}  // namespace

bool read_status(int descriptor, const char* path, struct statx& status) {
  return statx(descriptor, path, path[0] == '\0' ? AT_EMPTY_PATH : 0, STATX_BASIC_STATS | STATX_BTIME, &status) == 0;
}

bool find_path(int descriptor, char (&path)[kPath]) {
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  return path[0] == '/';
}

void strip_deleted_suffix(char* path) {
  constexpr char kDeleted[] = " (deleted)";
  const size_t length = strlen(path);
  const size_t extra = sizeof kDeleted - 1;
  if (length > extra && strcmp(path + length - extra, kDeleted) == 0) {
    path[length - extra] = '\0';
  }
}

bool are_same(const struct statx& a, const struct statx& b) {
  return a.stx_ino == b.stx_ino && a.stx_btime.tv_sec == b.stx_btime.tv_sec &&
         a.stx_btime.tv_nsec == b.stx_btime.tv_nsec;
}

bool are_on_same_device(const struct statx& a, const struct statx& b) {
  return a.stx_dev_major == b.stx_dev_major && a.stx_dev_minor == b.stx_dev_minor;
}

bool names_other_file(const struct statx& file, const char* path) {
  struct statx found = {};
  return read_status(AT_FDCWD, path, found) && !are_same(file, found);
}

bool has_huge_pages(const struct statx& file, const char* path) {
  constexpr unsigned kLeast = 1 << 16;  // hugetlbfs reports its page size; other file systems may have large blocks
  struct statfs system = {};
  return file.stx_blksize >= kLeast && statfs(path, &system) == 0 &&
         static_cast<unsigned>(system.f_type) == HUGETLBFS_MAGIC;
}

const char* file_text(const char* format, ...) {
  static char text[kPath + 256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

const char* why_not_found(const struct statx& file, const char* path, int access, bool several_hosts) {
  struct statx found = {};
  if (!read_status(AT_FDCWD, path, found) || !are_same(file, found) || !are_on_same_device(file, found)) {
    return "has been removed";
  }
  const Reach reach = reach_of(path);
  if (reach == Reach::kSystem) {
    return "is the system's";
  }
  if (several_hosts && reach != Reach::kHosts) {
    return "lies on a file system of its host";
  }
  return faccessat(AT_FDCWD, path, access, AT_EACCESS) != 0 ? "may not be opened again" : nullptr;
}

}  // namespace weft::shim
