// Writes the ranks of one process to its file of a checkpoint, or reads them from there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/control/job_context.hpp"
#include "runtime/lbstep/checkpoint.hpp"
#include "runtime/lbstep/image_contents.hpp"
#include "runtime/lbstep/migration_image.hpp"
#include "runtime/lbstep/ram_files.hpp"
#include "runtime/lbstep/step_messages.hpp"

namespace weft::runtime {
inline namespace lbstep {

// On the main thread.
class StepCheckpoint {
 public:
  explicit StepCheckpoint(const JobContext& job) : job_(job) {}

  // Adds a rank that has left its worker; true for the last rank of this process.
  bool add(Rank& rank);
  // Writes the added ranks and lets them go on, even if something fails; the returned part says what.
  CheckpointPart write(const std::string& folder, std::uint64_t step);
  // Called for a rank that moves to another process, before its memory here is freed.
  void forget(const Rank& rank);
  // Called in this order before any rank runs. open(): opens the checkpoint in JobConfig::restart. begin_reading():
  // determines which ranks this process reads, and returns how many of them live in other processes. read(): reads
  // these ranks, lets those that live here go on, and sends the others. open() and read() end the job where the
  // checkpoint is incomplete.
  CheckpointReader open() const;
  std::uint32_t begin_reading(const CheckpointReader& reader) const;
  void read(const CheckpointReader& reader) const;
  // Once the ranks of all processes have been read: truncates the files of ranks that live here to their length in the
  // checkpoint. Ends the job where that fails.
  void truncate_files() const;

 private:
  // A rank whose memory has not been read from the file yet.
  struct Arrival {
    Rank* rank = nullptr;
    const CheckpointEntry* entry = nullptr;
    MigrationImage image;
  };
  ImageContents& images();
  ProcessId reader_of(const Rank& rank, const CheckpointEntry& entry) const;
  std::vector<Arrival> make_room(const CheckpointReader& reader) const;
  void read_memory(const CheckpointReader& reader, const std::vector<Arrival>& arrivals) const;
  void resume(const Arrival& arrival) const;

  const JobContext& job_;
  std::vector<Rank*> ranks_;  // that wait to be written
  RamFiles ram_files_;
  std::optional<ImageContents> images_;  // since the first image in memory files
};

}  // namespace lbstep
}  // namespace weft::runtime
