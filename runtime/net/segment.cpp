#include "runtime/net/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <new>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "base/check.hpp"
#include "base/random.hpp"

namespace weft::net {

// First in the segment.
struct Segment::Start {
  std::uint64_t key = 0;
  std::uint64_t ring_bytes = 0;
  std::uint32_t workers = 0;
  RingControl control;
  CopyBoard copies;
};

namespace {

constexpr std::size_t kPage = 4096;

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) & ~(kPage - 1); }

// Boot and process namespace.
std::string node() {
  std::string boot = "?";
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  struct stat space {};
  stat("/proc/self/ns/pid", &space);
  return boot + "/" + std::to_string(space.st_ino);
}

std::uint64_t random_key() { return std::uint64_t{1} << 63 | base::random_bits(); }

struct Address {
  std::string node;
  pid_t pid = 0;
  int file = -1;
  std::uint64_t key = 0;
  std::uint64_t key_address = 0;
  std::uint64_t ring_bytes = 0;
  std::uint32_t workers = 0;
};

std::string text(const Address& address) {
  std::ostringstream out;
  out << address.node << ' ' << address.pid << ' ' << address.file << ' ' << address.key << ' ' << address.key_address
      << ' ' << address.ring_bytes << ' ' << address.workers;
  return out.str();
}

Address parse(std::string_view given) {
  Address address;
  std::istringstream in{std::string(given)};
  in >> address.node >> address.pid >> address.file >> address.key >> address.key_address >> address.ring_bytes >>
      address.workers;
  if (!in) {
    throw std::runtime_error("not the address of a process's shared memory: '" + std::string(given) + "'");
  }
  return address;
}

}  // namespace

Segment::Segment(std::size_t ring_bytes, std::uint32_t workers) : owner_(getpid()) {
  base::check(ring_bytes >= kPage && (ring_bytes & (ring_bytes - 1)) == 0, "a ring's size is a power of two");
  file_ = memfd_create("weft", MFD_CLOEXEC);
  const std::size_t start = whole_pages(sizeof(Start) + sizeof(Bell) * (workers + 1));
  // A memory file is born open to all.
  if (file_ < 0 || fchmod(file_, S_IRUSR | S_IWUSR) != 0 ||
      ftruncate(file_, static_cast<off_t>(start + ring_bytes)) != 0) {
    fail("cannot have shared memory of " + std::to_string(start + ring_bytes) + " bytes");
  }
  map(ring_bytes, workers, true);
  ring_.key = random_key();
  auto* const first =
      new (memory_) Start{.key = ring_.key, .ring_bytes = ring_bytes, .workers = workers, .control = {}, .copies = {}};
  for (Bell& bell : bells_) {
    new (&bell) Bell;
  }
  key_address_ = reinterpret_cast<std::uint64_t>(&first->key);
  address_ = text({node(), owner_, file_, ring_.key, key_address_, ring_bytes, workers});
  // Yama's default lets a process read its children's memory only; elsewhere the call fails and nobody asks for it.
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

Segment::Segment(std::string_view address) : address_(address) {
  const Address from = parse(address);
  const std::string path = "/proc/" + std::to_string(from.pid) + "/fd/" + std::to_string(from.file);
  owner_ = from.pid;
  key_address_ = from.key_address;
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) {
    fail("cannot open the shared memory of a process of this node, " + path +
         " (processes of one user, in containers that see each other, can)");
  }
  file_ = file;
  struct stat found {};
  const std::size_t start = whole_pages(sizeof(Start) + sizeof(Bell) * (from.workers + 1));
  if (fstat(file_, &found) != 0 || found.st_uid != geteuid() ||
      static_cast<std::size_t>(found.st_size) != start + from.ring_bytes) {
    close(file_);
    throw std::runtime_error(path + " is not the shared memory of a process of this job");
  }
  map(from.ring_bytes, from.workers, false);
  close(std::exchange(file_, -1));
  ring_.key = from.key;
  if (reinterpret_cast<const Start*>(memory_)->key != from.key) {
    munmap(memory_, mapped_);
    throw std::runtime_error(path + " is not the shared memory of a process of this job");
  }
}

// The start, the ring, the ring again. The owner has all pages made at once: nobody waits for one within a message.
// Others only map them, and some dozens at their first touch: all pages of all peers would take a job of many processes
// a time that grows with the square of their number.
void Segment::map(std::size_t ring_bytes, std::uint32_t workers, bool is_owner) {
  const std::size_t start = whole_pages(sizeof(Start) + sizeof(Bell) * (workers + 1));
  mapped_ = start + 2 * ring_bytes;
  void* const place = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) {
    const int why = errno;
    close(file_);
    errno = why;
    fail("cannot map shared memory");
  }
  memory_ = static_cast<std::byte*>(place);
  const auto map_at = [&](std::size_t at, std::size_t bytes, std::size_t offset) {
    if (mmap(memory_ + at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | (is_owner ? MAP_POPULATE : 0), file_,
             static_cast<off_t>(offset)) == MAP_FAILED) {
      const int why = errno;
      munmap(memory_, mapped_);
      close(file_);
      errno = why;
      fail("cannot map shared memory");
    }
  };
  map_at(0, start + ring_bytes, 0);
  map_at(start + ring_bytes, ring_bytes, start);
  auto& first = *reinterpret_cast<Start*>(memory_);
  copies_ = &first.copies;
  ring_ = {&first.control, memory_ + start, ring_bytes, 0};
  bells_ = {reinterpret_cast<Bell*>(memory_ + ((sizeof(Start) + 63) & ~std::size_t{63})), workers};
}

Segment::~Segment() {
  munmap(memory_, mapped_);
  if (file_ >= 0) {
    close(file_);
  }
}

bool same_node(std::string_view one, std::string_view other) {
  return one.substr(0, one.find(' ')) == other.substr(0, other.find(' '));
}

}  // namespace weft::net
