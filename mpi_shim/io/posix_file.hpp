// A file of the system as one process has it open: its bytes, its locks and its shared pointer.
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

// Which file it is, whatever its name is now.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

// Shared by the ranks of a process that have opened it together. Thread-safe. Functions return 0 or an errno; none
// suspends the rank, but they stop its worker while the system works.
class PosixFile {
 public:
  // Takes the descriptor.
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
  int sync();

  FileIdentity identity() const { return identity_; }
  int descriptor() const { return descriptor_; }

 private:
  friend class RangeLock;
  const int descriptor_;
  FileIdentity identity_;
  std::atomic<bool> dirty_ = false;  // written to since the last sync() here
  std::mutex mutex_;                 // of RangeLock: locks of the system are the process's
};

// Keeps other ranks' locks off a range of bytes; the holder must not suspend.
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

// A pointer that all ranks of all processes move: a number in a hidden file beside the data, under a lock. The file is
// made when the pointer is first moved; until then the pointer stands at `start`, which all ranks know.
class SharedPointer {
 public:
  SharedPointer(std::string path, std::int64_t start) : path_(std::move(path)), start_(start) {}
  // `before` is where it stood.
  int add(std::int64_t step, std::int64_t& before) const;
  int get(std::int64_t& value) const;
  // By one rank, while no other moves it. Does nothing where the pointer was never moved: all set their `start`.
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
  std::mutex mutex_;  // guards what follows
  std::map<std::uint32_t, std::weak_ptr<PosixFile>> files_;
};

}  // namespace weft::mpi_shim::io
