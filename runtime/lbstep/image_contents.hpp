// What the memory files of this process's images hold (--survive), and which pages its ranks have written since.
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
  // False: something writes to the ranks' memory and the kernel does not tell, so all of it is copied each time.
  explicit ImageContents(bool writes_are_seen) : writes_are_seen_(writes_are_seen) {}

  // Looks for what may write unseen: from then on that is so.
  void begin_image();

  // Of the open file. Good until two other files have been asked for.
  FileContents& of(int descriptor);
  // The rank stands, with this memory in `space`, and is about to be written to one of the files.
  void note_written(std::uint32_t rank, std::span<std::byte> space, std::span<const std::span<std::byte>> memory);
  // It has left this process: what it has when it comes back has been written elsewhere.
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
