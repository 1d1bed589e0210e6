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

namespace {

constexpr std::size_t kPage = 4096;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) & ~(kPage - 1); }

}  // namespace

// The beginning of the segment. The control block of each ring, the doorbells, and (from a page boundary on) the rings
// follow.
struct Segment::Header {
  std::uint64_t key = 0;
  CopyOffer copy_offer;
};

// Sizes that the owner has chosen.
struct Segment::Sizes {
  std::size_t ring_bytes = 0;
  std::uint32_t workers = 0;
  std::uint32_t rings = 1;

  static std::size_t controls_at() { return (sizeof(Header) + 63) & ~std::size_t{63}; }
  std::size_t doorbells_at() const { return controls_at() + sizeof(RingControl) * rings; }
  std::size_t rings_at() const { return whole_pages(doorbells_at() + sizeof(Doorbell) * workers); }
  std::size_t file_bytes() const { return rings_at() + ring_bytes * rings; }
};

namespace {

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

// What two processes have in common that can open each other's memory files: the boot of the kernel and the process
// namespace.
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
  std::uint32_t rings = 1;
};

std::string text(const Address& address) {
  std::ostringstream out;
  out << address.node << ' ' << address.pid << ' ' << address.file << ' ' << address.key << ' ' << address.key_address
      << ' ' << address.ring_bytes << ' ' << address.workers << ' ' << address.rings;
  return out.str();
}

Address parse(std::string_view given) {
  Address address;
  std::istringstream in{std::string(given)};
  in >> address.node >> address.pid >> address.file >> address.key >> address.key_address >> address.ring_bytes >>
      address.workers >> address.rings;
  if (!in || address.rings == 0) {
    throw std::runtime_error("not the address of a process's shared memory: '" + std::string(given) + "'");
  }
  return address;
}

}  // namespace

Segment::Segment(std::size_t ring_bytes, std::uint32_t workers, std::uint32_t rings) : Segment() {
  owner_ = getpid();
  base::check(ring_bytes >= kPage && (ring_bytes & (ring_bytes - 1)) == 0, "a ring's size is a power of two");
  const Sizes sizes{ring_bytes, workers, rings};
  file_ = memfd_create("weft", MFD_CLOEXEC);
  // A new memory file is accessible to everybody.
  if (file_ < 0 || fchmod(file_, S_IRUSR | S_IWUSR) != 0 ||
      ftruncate(file_, static_cast<off_t>(sizes.file_bytes())) != 0) {
    fail("cannot have shared memory of " + std::to_string(sizes.file_bytes()) + " bytes");
  }
  const std::uint64_t key = random_key();
  map(sizes, key, true);
  auto* const first = new (memory_) Header{.key = key, .copy_offer = {}};
  for (const RingView& ring : rings_) {
    new (ring.control) RingControl;
  }
  for (Doorbell& doorbell : doorbells_) {
    new (&doorbell) Doorbell;
  }
  key_address_ = reinterpret_cast<std::uint64_t>(&first->key);
  address_ = text({node(), owner_, file_, key, key_address_, ring_bytes, workers, rings});
  // By default Yama lets a process read only its children's memory. Where there is no Yama the call fails, and is not
  // needed.
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

Segment::Segment(std::string_view address) : Segment() {
  address_ = address;
  const Address from = parse(address);
  const std::string path = "/proc/" + std::to_string(from.pid) + "/fd/" + std::to_string(from.file);
  owner_ = from.pid;
  key_address_ = from.key_address;
  file_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file_ < 0) {
    fail("cannot open the shared memory of a process of this node, " + path +
         " (processes of one user, in containers that see each other, can)");
  }
  struct stat found {};
  const Sizes sizes{from.ring_bytes, from.workers, from.rings};
  if (fstat(file_, &found) != 0 || found.st_uid != geteuid() ||
      static_cast<std::size_t>(found.st_size) != sizes.file_bytes()) {
    throw std::runtime_error(path + " is not the shared memory of a process of this job");
  }
  map(sizes, from.key, false);
  close(std::exchange(file_, -1));
  if (reinterpret_cast<const Header*>(memory_)->key != from.key) {
    throw std::runtime_error(path + " is not the shared memory of a process of this job");
  }
}

// Maps the header, and each ring twice. The owner lets the kernel allocate all pages at once, so that no message waits
// for one. Others only map them, and touch some dozens later: allocating all pages of all peers would take time that
// grows with the square of the number of processes.
void Segment::map(const Sizes& sizes, std::uint64_t key, bool is_owner) {
  const std::size_t start = sizes.rings_at();
  mapped_ = start + 2 * sizes.ring_bytes * sizes.rings;
  void* const place = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) {
    fail("cannot map shared memory");
  }
  memory_ = static_cast<std::byte*>(place);
  const auto map_at = [&](std::size_t at, std::size_t bytes, std::size_t offset) {
    if (mmap(memory_ + at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | (is_owner ? MAP_POPULATE : 0), file_,
             static_cast<off_t>(offset)) == MAP_FAILED) {
      fail("cannot map shared memory");
    }
  };
  map_at(0, start, 0);
  auto* const controls = reinterpret_cast<RingControl*>(memory_ + Sizes::controls_at());
  for (std::uint32_t r = 0; r < sizes.rings; ++r) {
    const std::size_t at = start + 2 * sizes.ring_bytes * r;
    map_at(at, sizes.ring_bytes, start + sizes.ring_bytes * r);
    map_at(at + sizes.ring_bytes, sizes.ring_bytes, start + sizes.ring_bytes * r);
    rings_.push_back({controls + r, memory_ + at, sizes.ring_bytes, key});
  }
  copy_offer_ = &reinterpret_cast<Header*>(memory_)->copy_offer;
  doorbells_ = {reinterpret_cast<Doorbell*>(memory_ + sizes.doorbells_at()), sizes.workers};
}

Segment::~Segment() {
  if (memory_ != nullptr) {
    munmap(memory_, mapped_);
  }
  if (file_ >= 0) {
    close(file_);
  }
}

bool same_node(std::string_view one, std::string_view other) {
  return one.substr(0, one.find(' ')) == other.substr(0, other.find(' '));
}

}  // namespace weft::net
