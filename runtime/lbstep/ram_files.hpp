// Keeps files on a RAM disk mapped that this process writes again and again. Writing to a mapped page costs only the
// copy, while write() also looks up each page.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <vector>

namespace weft::runtime {
inline namespace lbstep {

class RamFiles {
 public:
  RamFiles() = default;
  RamFiles(const RamFiles&) = delete;
  RamFiles& operator=(const RamFiles&) = delete;
  ~RamFiles();

  // The part of the open file, from its first byte on, that is mapped and within its present length; may be empty.
  std::span<std::byte> mapped(int descriptor);
  // Maps the open file (O_RDWR) if it lies on a RAM disk and is not mapped, or is much longer than its mapping. The
  // last two files stay mapped, since checkpoints use two files alternately.
  void keep(int descriptor);

 private:
  struct Mapping {
    dev_t device = 0;
    ino_t inode = 0;
    std::span<std::byte> bytes;
  };
  std::vector<Mapping> mappings_;  // the newest last
};

}  // namespace lbstep
}  // namespace weft::runtime
