// Writes and reads checkpoints: on a disk (bootstrap::CheckpointFolder), where RamFiles keeps files of a RAM disk
// mapped; or in memory files (checkpoint_files.hpp), where the launcher knows which checkpoints are complete.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pup/pup.hpp"
#include "runtime/lbstep/checkpoint_files.hpp"
#include "runtime/lbstep/file_contents.hpp"
#include "runtime/lbstep/image_contents.hpp"
#include "runtime/lbstep/ram_files.hpp"

namespace weft::runtime {
inline namespace lbstep {

// Where one rank lies in a checkpoint. Checksums are those of base::Checksum; that of the rank's memory is the checksum
// of its pages' checksums.
struct CheckpointEntry {
  std::uint32_t rank = 0;
  std::uint32_t file = 0;           // the process that wrote it
  std::uint64_t memory_offset = 0;  // in the file; each range begins at place_after() of the previous one
  std::uint64_t memory_bytes = 0;
  std::uint64_t image_offset = 0;
  std::uint64_t image_bytes = 0;
  std::uint32_t memory_checksum = 0;
  std::uint32_t image_checksum = 0;
  void pup(pup::Puper& p) {
    p | rank | file | memory_offset | memory_bytes | image_offset | image_bytes | memory_checksum | image_checksum;
  }
};

struct CheckpointIndex {
  std::string program;               // the program's fingerprint: only the same program can continue
  std::vector<std::string> command;  // TraceConfig::command
  std::uint32_t ranks = 0;
  std::uint32_t processes = 0;  // that wrote it
  std::uint64_t steps = 0;      // the number of the step that wrote it
  std::uint64_t stack_guard = 0;
  int spawned_exit_code = 0;        // RankTable::spawned_exit_code
  std::uint32_t first_context = 0;  // contexts from here on are unused: UpperLayer::first_unused_context()
  std::vector<CheckpointEntry> entries;
  void pup(pup::Puper& p) {
    p | program | command | ranks | processes | steps | stack_guard | spawned_exit_code | first_context | entries;
  }
};

// Writes checkpoint number `steps` of `folder`, or one in memory files. Functions throw std::runtime_error, one line
// that names the file.
class CheckpointWriter {
 public:
  // Opens this process's file, which `ram_files` may have mapped. For memory files `images` knows what need not be
  // written again; it is null for files on a disk. Both outlive the writer.
  CheckpointWriter(const std::string& folder, std::uint64_t steps, std::uint32_t process, RamFiles& ram_files,
                   ImageContents* images);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  // Adds a rank: its packed MigrationImage, and its memory, whose ranges ascend.
  void add(std::uint32_t rank, std::vector<std::byte> image, std::span<const std::span<std::byte>> memory);
  // How many bytes of memory have been copied so far.
  [[nodiscard]] std::uint64_t copied() const { return copied_; }
  // Completes the file, and flushes it to the disk if it lies on one. Nothing may be added afterwards.
  std::vector<CheckpointEntry> close();

  // Called by one process once all have closed their files: the checkpoint replaces the previous one, which becomes the
  // spare only then.
  static void publish(const std::string& folder, CheckpointIndex& index);
  // Discards what was written.
  static void discard(const std::string& folder, std::uint64_t steps);

 private:
  // put_range(): a range of a rank's memory, of which only pages that the file does not have are copied. copy(): writes
  // memory and appends the checksums of its pages to `sums`. put(): writes bytes. Offsets are in the file.
  WrittenRange put_range(UnchangedSums& unchanged, std::span<const std::byte> range, std::uint64_t offset);
  void copy(std::span<const std::byte> memory, std::uint64_t offset, std::vector<std::uint32_t>& sums);
  void put(std::span<const std::byte> bytes, std::uint64_t offset);

  const std::uint32_t process_;
  RamFiles& ram_files_;
  std::string path_;
  int descriptor_ = -1;
  bool written_over_ = false;    // it is the spare or a memory file, which steps write again and again
  std::span<std::byte> mapped_;  // of the file
  FileContents of_disk_{false};
  FileContents* contents_ = &of_disk_;
  std::vector<CheckpointEntry> entries_;
  std::vector<std::vector<std::byte>> states_;  // by entry: the packed MigrationImage
  std::uint64_t copied_ = 0;
};

class CheckpointReader {
 public:
  // Opens the newest checkpoint in `folder`, or the one in memory files. Throws std::runtime_error where there is none,
  // or where it is incomplete or of another version.
  explicit CheckpointReader(const std::string& folder);

  const CheckpointIndex& index() const { return index_; }
  const CheckpointEntry& entry(std::uint32_t rank) const;
  std::vector<std::byte> image(const CheckpointEntry& entry) const;
  // Reads the rank's memory into place. Both functions throw where bytes are missing or fail their checksum.
  void memory(const CheckpointEntry& entry, std::span<const std::span<std::byte>> memory) const;

 private:
  CheckpointFiles files_;
  CheckpointIndex index_;
};

}  // namespace lbstep
}  // namespace weft::runtime
