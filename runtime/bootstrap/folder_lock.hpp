// A lock on a folder of checkpoints: one job writes to it, or several jobs read from it.
#pragma once

#include <sys/types.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace weft::bootstrap {

class FolderLock {
 public:
  enum class For { kWriting, kReading };

  // Another job has locked the folder: the message names the folder, and the job as far as it is known.
  struct Taken : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

  // Takes the lock, which ends with this object or the process. For writing, creates a missing folder. Throws Taken, or
  // std::runtime_error where the folder cannot be created or used. If the file system has no locks, prints a line on
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
