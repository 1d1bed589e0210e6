// A folder of checkpoints on a disk. Each checkpoint is a folder in it, with a file of each process and an index. It is
// written under a temporary name and renamed when it is complete. The files of the previous checkpoint are kept as the
// spare and overwritten by the next one: a RAM disk is three times as fast if its pages exist already.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace weft::bootstrap {

// Paths of files in the folder of one checkpoint.
std::string checkpoint_index(const std::string& checkpoint);
std::string checkpoint_file(const std::string& checkpoint, std::uint32_t process);
// If `path` is one checkpoint, the folder of checkpoints that holds it; else the path itself.
std::string folder_of_checkpoints(const std::string& path);

// Where an image goes: checkpoint number `step` of a folder of checkpoints.
struct CheckpointTarget {
  std::string folder;
  std::uint64_t step = 0;
  // of this job; a repeated step may be written while the first attempt is still being written
  std::uint64_t attempt = 0;
  std::uint32_t processes = 0;  // that have a file in it
  bool operator==(const CheckpointTarget&) const = default;
};

std::string to_text(const CheckpointTarget& target);
// Throws std::runtime_error.
CheckpointTarget parse_checkpoint_target(std::string_view text);

// Functions throw std::runtime_error, one line that names the file. A checkpoint's number is that of the step that
// wrote its ranks.
class CheckpointFolder {
 public:
  // Temporary names contain `attempt`.
  explicit CheckpointFolder(std::string path, std::uint64_t attempt = 0) : path_(std::move(path)), attempt_(attempt) {}

  // The folder of the newest complete checkpoint; the path itself if that is one checkpoint; empty where there is none.
  std::string newest() const;
  // The folder of this checkpoint, once it is complete.
  std::string of(std::uint64_t steps) const;

  // The folder of this checkpoint while it is written.
  std::string aside(std::uint64_t steps) const;
  // Creates that folder if necessary.
  void begin(std::uint64_t steps) const;
  // Opens a file in it for writing, accessible to the user alone: for a process, perhaps by reusing the spare's, or for
  // the index.
  struct File {
    std::string path;
    int descriptor = -1;
    bool is_spare = false;  // it has the contents of an earlier checkpoint
  };
  File create_file(std::uint64_t steps, std::uint32_t process) const;
  File create_index(std::uint64_t steps) const;
  // Publishes a checkpoint whose files are complete: it replaces the previous one, which becomes the spare only then.
  void publish(std::uint64_t steps) const;
  // Deletes what was written of it.
  void discard(std::uint64_t steps) const;
  // Call it when no further checkpoint will be written.
  void remove_spare() const;
  // Deletes what jobs have left that were killed while they wrote. The caller must hold the folder's lock.
  void remove_unfinished() const;

 private:
  std::string spare() const;
  void make_spare(const std::string& checkpoint) const;

  std::string path_;
  std::uint64_t attempt_;
};

}  // namespace weft::bootstrap
