#include "mpi_shim/io/posix_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace weft::mpi_shim::io {

namespace {

constexpr mode_t kMode = 0666;                              // less the umask
constexpr std::size_t kLargestCall = std::size_t{1} << 30;  // Linux moves at most 2 GiB less a page

off_t offset_at(std::uint64_t offset) { return static_cast<off_t>(offset); }

int lock_whole(int descriptor, short type) {
  struct flock lock = {};
  lock.l_type = type;
  while (fcntl(descriptor, F_OFD_SETLKW, &lock) != 0) {
    if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

PosixFile::PosixFile(int descriptor) : descriptor_(descriptor) {
  struct stat found = {};
  if (fstat(descriptor, &found) == 0) {
    identity_ = {found.st_dev, found.st_ino};
  }
}

PosixFile::~PosixFile() { close(descriptor_); }

std::shared_ptr<PosixFile> PosixFile::open(const std::string& path, int flags, int& error) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, kMode);
  error = descriptor < 0 ? errno : 0;
  return descriptor < 0 ? nullptr : std::make_shared<PosixFile>(descriptor);
}

int PosixFile::read(std::span<std::byte> bytes, std::uint64_t offset, std::size_t& got) {
  got = 0;
  while (got < bytes.size()) {
    const std::size_t part = std::min(bytes.size() - got, kLargestCall);
    const ssize_t done = pread(descriptor_, bytes.data() + got, part, offset_at(offset + got));
    if (done < 0 && errno != EINTR) {
      return errno;
    }
    if (done == 0) {
      return 0;
    }
    got += static_cast<std::size_t>(std::max<ssize_t>(done, 0));
  }
  return 0;
}

int PosixFile::write(std::span<const std::byte> bytes, std::uint64_t offset) {
  dirty_.store(true, std::memory_order_relaxed);
  for (std::size_t put = 0; put < bytes.size();) {
    const std::size_t part = std::min(bytes.size() - put, kLargestCall);
    const ssize_t done = pwrite(descriptor_, bytes.data() + put, part, offset_at(offset + put));
    if (done < 0 && errno != EINTR) {
      return errno;
    }
    put += static_cast<std::size_t>(std::max<ssize_t>(done, 0));
  }
  return 0;
}

int PosixFile::size(std::uint64_t& bytes) const {
  struct stat found = {};
  if (fstat(descriptor_, &found) != 0) {
    return errno;
  }
  bytes = static_cast<std::uint64_t>(found.st_size);
  return 0;
}

int PosixFile::resize(std::uint64_t bytes) {
  dirty_.store(true, std::memory_order_relaxed);
  return ftruncate(descriptor_, offset_at(bytes)) == 0 ? 0 : errno;
}

int PosixFile::preallocate(std::uint64_t bytes) {
  dirty_.store(true, std::memory_order_relaxed);
  return bytes == 0 ? 0 : posix_fallocate(descriptor_, 0, offset_at(bytes));
}

int PosixFile::sync() { return !dirty_.exchange(false) || fsync(descriptor_) == 0 ? 0 : errno; }

RangeLock::RangeLock(PosixFile& file, bool exclusive, std::uint64_t begin, std::uint64_t end)
    : alone_(file.mutex_), file_(file), begin_(begin), end_(end) {
  error_ = set(exclusive ? F_WRLCK : F_RDLCK);
}

RangeLock::~RangeLock() { set(F_UNLCK); }

int RangeLock::set(short type) const {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_start = offset_at(begin_);
  lock.l_len = offset_at(end_ - begin_);
  while (fcntl(file_.descriptor(), F_OFD_SETLKW, &lock) != 0) {
    if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

// Each call opens the hidden file again: so the lock belongs to this call alone, and no descriptor remains in a process
// that the rank leaves.
int SharedFilePointer::add(std::int64_t step, std::int64_t& before) const {
  int error = 0;
  const auto file = PosixFile::open(path_, O_RDWR | O_CREAT, error);
  if (file == nullptr) {
    return error;
  }
  error = lock_whole(file->descriptor(), F_WRLCK);
  if (error != 0) {
    return error;
  }
  std::size_t got = 0;
  before = start_;
  error = file->read(std::as_writable_bytes(std::span(&before, 1)), 0, got);
  if (error != 0) {
    return error;
  }
  const std::int64_t after = before + step;
  return file->write(std::as_bytes(std::span(&after, 1)), 0);
}

int SharedFilePointer::get(std::int64_t& value) const {
  value = start_;
  int error = 0;
  const auto file = PosixFile::open(path_, O_RDWR, error);
  if (file == nullptr) {
    return error == ENOENT ? 0 : error;
  }
  std::size_t got = 0;
  error = lock_whole(file->descriptor(), F_RDLCK);
  return error != 0 ? error : file->read(std::as_writable_bytes(std::span(&value, 1)), 0, got);
}

int SharedFilePointer::reset(std::int64_t value) const {
  int error = 0;
  const auto file = PosixFile::open(path_, O_RDWR, error);
  if (file == nullptr) {
    return error == ENOENT ? 0 : error;
  }
  return file->write(std::as_bytes(std::span(&value, 1)), 0);
}

void SharedFilePointer::remove() const { unlink(path_.c_str()); }

std::shared_ptr<PosixFile> OpenFiles::find_or_open(std::uint32_t context, const std::string& path, int flags,
                                                   int& error) {
  const std::lock_guard lock(mutex_);
  error = 0;
  std::weak_ptr<PosixFile>& place = files_[context];
  std::shared_ptr<PosixFile> file = place.lock();
  if (file == nullptr) {
    file = PosixFile::open(path, flags, error);
    place = file;
    forget_closed();
  }
  return file;
}

void OpenFiles::add(std::uint32_t context, const std::shared_ptr<PosixFile>& file) {
  const std::lock_guard lock(mutex_);
  files_[context] = file;
  forget_closed();
}

void OpenFiles::forget_closed() {
  std::erase_if(files_, [](const auto& known) { return known.second.expired(); });
}

}  // namespace weft::mpi_shim::io
