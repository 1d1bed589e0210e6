#include "trace/source.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace weft::trace {
namespace {

// Maps the file into memory; the system reads its pages on demand. Null: the file is empty.
const char* mapped(const std::string& file, std::size_t& bytes) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about {};
  void* memory = MAP_FAILED;
  if (descriptor >= 0 && fstat(descriptor, &about) == 0) {
    bytes = static_cast<std::size_t>(about.st_size);
    memory = bytes == 0 ? nullptr : mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
  }
  const int error = errno;
  if (descriptor >= 0) {
    close(descriptor);
  }
  if (memory == MAP_FAILED) {
    throw Error("cannot read " + file + ": " + std::strerror(error));
  }
  if (memory != nullptr) {
    madvise(memory, bytes, MADV_SEQUENTIAL);
  }
  return static_cast<const char*>(memory);
}

}  // namespace

void Source::Unmap::operator()(const char* memory) const { munmap(const_cast<char*>(memory), bytes); }

Source::Source(const std::string& file, Names& names)
    : memory_(nullptr, Unmap{0}), cursor_(std::string_view{}), names_(names) {
  std::size_t bytes = 0;
  const char* const memory = mapped(file, bytes);
  memory_ = {memory, Unmap{bytes}};
  cursor_ = Cursor(text());
}

}  // namespace weft::trace
