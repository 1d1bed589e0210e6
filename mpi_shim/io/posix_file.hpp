// A POSIX file that one process has open: its data, its locks and its shared file pointer.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "mpi_shim/state/process_part.hpp"

namespace weft::mpi_shim::io {

// Identifies a file independently of its name.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

// Shared by the ranks of a process that have opened the file together. Thread-safe. Functions return 0 or an errno.
// They do not suspend the rank, but block its worker during the system call.
class PosixFile {
 public:
  // Takes ownership of the descriptor.
  explicit PosixFile(int descriptor);
  ~PosixFile();
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;

  // Null and the errno in `error`.
  static std::shared_ptr<PosixFile> open(const std::string& path, int flags, int& error);

  // `got` is smaller than the span only at the end of the file.
  int read(std::span<std::byte> bytes, std::uint64_t offset, std::size_t& got);
  int write(std::span<const std::byte> bytes, std::uint64_t offset);
  int size(std::uint64_t& bytes) const;
  int resize(std::uint64_t bytes);
  int preallocate(std::uint64_t bytes);
  // Flushes what was written through this object since the last sync(). Returns at once if there is nothing, or if
  // another thread has begun to flush it.
  int sync();

  FileIdentity identity() const { return identity_; }
  int descriptor() const { return descriptor_; }

 private:
  friend class RangeLock;
  const int descriptor_;
  FileIdentity identity_;
  std::atomic<bool> dirty_ = false;  // written to since the last sync() here
  std::mutex mutex_;                 // held by a RangeLock: the system's lock belongs to the descriptor
};

// Locks a range of bytes against other ranks: those of other processes by a lock of the system (F_OFD_SETLKW), those
// that share the descriptor by the file's mutex. The holder must not be suspended.
class RangeLock {
 public:
  RangeLock(PosixFile& file, bool exclusive, std::uint64_t begin, std::uint64_t end);
  ~RangeLock();
  RangeLock(const RangeLock&) = delete;
  RangeLock& operator=(const RangeLock&) = delete;
  int error() const { return error_; }

 private:
  int set(short type) const;

  const std::lock_guard<std::mutex> alone_;
  PosixFile& file_;
  const std::uint64_t begin_, end_;
  int error_ = 0;
};

// The shared file pointer, which ranks of all processes move: a number in a hidden file beside the data, protected by a
// file lock. The hidden file is created when the pointer is first moved; until then the value is `start` on all ranks.
class SharedFilePointer {
 public:
  SharedFilePointer(std::string path, std::int64_t start) : path_(std::move(path)), start_(start) {}
  // Adds `step`; `before` receives the old value.
  int add(std::int64_t step, std::int64_t& before) const;
  int get(std::int64_t& value) const;
  // Sets the value. Called by one rank while no other one moves the pointer. Does nothing if the pointer was never
  // moved: then all ranks set their `start`.
  int reset(std::int64_t value) const;
  void remove() const;

 private:
  const std::string path_;
  const std::int64_t start_;
};

// The files that ranks of one process have open, by the context number of each file's communicator. Thread-safe.
class OpenFiles final : public ProcessPart {
 public:
  static constexpr ProcessPartId kProcessPart = ProcessPartId::open_files;
  // Opens the file unless another rank of the process has it open. Null and the errno in `error`.
  std::shared_ptr<PosixFile> find_or_open(std::uint32_t context, const std::string& path, int flags, int& error);
  void add(std::uint32_t context, const std::shared_ptr<PosixFile>& file);

 private:
  void forget_closed();

  std::mutex mutex_;  // guards what follows
  std::map<std::uint32_t, std::weak_ptr<PosixFile>> files_;
};

}  // namespace weft::mpi_shim::io
