// Files on a RAM disk that this process writes again and again, kept mapped: writing to a mapped page costs the copy
// alone, where write() looks the page up each time.
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

  // What of the open file is mapped and still belongs to it, from its first byte on.
  std::span<std::byte> mapped(int descriptor);
  // Maps the open file (O_RDWR) if it lies on a RAM disk and is not mapped, or much longer than what is. The last two
  // files stay mapped: a checkpoint is written over the one before the last.
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
