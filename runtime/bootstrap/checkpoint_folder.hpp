// A folder of checkpoints on a disk. Each checkpoint is a folder in it, with a file of each process and an index: it is
// written aside and renamed when it is whole. The files of the one before are kept as the spare and written over by the
// next: a RAM disk is three times as fast where it has the pages already.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace weft::bootstrap {

// Of the folder of one checkpoint.
std::string checkpoint_index(const std::string& checkpoint);
std::string checkpoint_file(const std::string& checkpoint, std::uint32_t process);
// The folder of checkpoints that it is in, where this is one; else the path itself.
std::string folder_of_checkpoints(const std::string& path);

// Where an image goes: checkpoint number `step` of a folder of checkpoints.
struct CheckpointTarget {
  std::string folder;
  std::uint64_t step = 0;
  std::uint64_t attempt = 0;  // of this job; a step that is done again may be written while the first attempt still is
  std::uint32_t processes = 0;  // that have a file in it
  bool operator==(const CheckpointTarget&) const = default;
};

std::string to_text(const CheckpointTarget& target);
// Throws std::runtime_error.
CheckpointTarget parse_checkpoint_target(std::string_view text);

// Functions throw std::runtime_error, one line that names the file. Checkpoints are numbered by the step that wrote
// their ranks.
class CheckpointFolder {
 public:
  // Files are written aside as those of this attempt.
  explicit CheckpointFolder(std::string path, std::uint64_t attempt = 0) : path_(std::move(path)), attempt_(attempt) {}

  // The folder of the newest whole checkpoint, which is the path itself where that is the folder of one checkpoint;
  // empty where there is none.
  std::string newest() const;
  // The folder of this one, once it is whole.
  std::string of(std::uint64_t steps) const;

  // The folder of a checkpoint while it is written.
  std::string aside(std::uint64_t steps) const;
  // Makes that folder, if it is not there.
  void begin(std::uint64_t steps) const;
  // A file for writing in it, the user's alone: of a process, perhaps over that of the spare, and of the index.
  struct File {
    std::string path;
    int descriptor = -1;
    bool is_spare = false;  // it has the bytes of an earlier checkpoint
  };
  File create_file(std::uint64_t steps, std::uint32_t process) const;
  File create_index(std::uint64_t steps) const;
  // All files are whole: the checkpoint takes the place of the one before, which becomes the spare only then.
  void publish(std::uint64_t steps) const;
  // What was written of it comes to nothing.
  void discard(std::uint64_t steps) const;
  // No checkpoint will follow.
  void remove_spare() const;
  // What jobs have left behind that were killed while they wrote. For who has the folder's lock.
  void remove_unfinished() const;

 private:
  std::string spare() const;
  void make_spare(const std::string& checkpoint) const;

  std::string path_;
  std::uint64_t attempt_;
};

}  // namespace weft::bootstrap
