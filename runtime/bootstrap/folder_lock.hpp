// A lock on a folder of checkpoints: one job writes to it, or several jobs read from it.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

namespace weft::bootstrap {

class FolderLock {
 public:
  enum class For { kWriting, kReading };

  // Takes the lock, which ends with this object or the process. For writing, creates a missing folder. Throws
  // std::runtime_error where the folder cannot be created or used, and where another job has locked it: the message
  // names that job as far as it is known. If the file system has no locks, prints a line on
  // stderr and locks nothing. A reader that can neither create nor open the lock file locks nothing either.
  FolderLock(const std::string& folder, For purpose);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  void release();
  // Whether this path leads to the same folder.
  [[nodiscard]] bool is_of(const std::string& folder) const;

 private:
  dev_t device_ = 0;
  ino_t inode_ = 0;
  int descriptor_ = -1;
};

}  // namespace weft::bootstrap
