// What the memory files of this process's images contain (--survive), and which pages its ranks have written since.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <list>
#include <map>
#include <span>

#include "runtime/lbstep/file_contents.hpp"
#include "runtime/lbstep/write_tracker.hpp"

namespace weft::runtime {
inline namespace lbstep {

class ImageContents {
 public:
  // `writes_are_seen` is false if something writes to the ranks' memory without the kernel noticing. Then everything is
  // copied each time.
  explicit ImageContents(bool writes_are_seen) : writes_are_seen_(writes_are_seen) {}

  // Checks for writers that the kernel does not notice; once one is found, everything is copied.
  void begin_image();

  // The contents of the open file. Valid until two other files have been asked for.
  FileContents& of(int descriptor);
  // Called while the rank stands still, before it is written to one of the files. `memory`: its memory, within `space`.
  void note_written(std::uint32_t rank, std::span<std::byte> space, std::span<const std::span<std::byte>> memory);
  // The rank has left this process: if it comes back, its memory counts as changed.
  void forget(std::uint32_t rank);

 private:
  struct File {
    dev_t device = 0;
    ino_t inode = 0;
    FileContents contents{true};
  };
  bool writes_are_seen_;
  PageWatch watch_;
  std::map<std::uint32_t, WriteTracker> trackers_;  // by rank
  std::list<File> files_;                           // the newest last
};

}  // namespace lbstep
}  // namespace weft::runtime
