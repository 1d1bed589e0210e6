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

  // A rank that has left its worker; true for the last one of this process.
  bool add(Rank& rank);
  // Writes those that have been added and lets them go on. What goes wrong is in the answer; the ranks go on all the
  // same.
  CheckpointPart write(const std::string& folder, std::uint64_t step);
  // A rank that goes to another process, before its memory is given back here.
  void forget(const Rank& rank);
  // Before any rank runs: the checkpoint in JobConfig::restart; which of its ranks are read here, of which this many go
  // to other processes; and those that live here go on from it, the others are sent there. The first and the last end
  // the job where it is not a whole one.
  CheckpointReader open() const;
  std::uint32_t begin_reading(const CheckpointReader& reader) const;
  void read(const CheckpointReader& reader) const;
  // Once the ranks of all processes have been read: cuts the files of those that live here to what they were. Ends the
  // job where that cannot be.
  void cut_files() const;

 private:
  // A rank whose memory is still in the file.
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
  std::optional<ImageContents> images_;  // from the first one in memory on
};

}  // namespace lbstep
}  // namespace weft::runtime
