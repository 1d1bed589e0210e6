// Which images of a job's ranks go to checkpoints on a disk, one after the other, while the ranks go on: each host
// writes the files of its own processes, and that of process 0 the index once all others are whole. Knows neither files
// nor connections.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "runtime/bootstrap/host_images.hpp"
#include "runtime/bootstrap/image_copies.hpp"

namespace weft::bootstrap {

class ImageSaves {
 public:
  // `hosts`: of each process that has written a file of the image. The last of those that still wait counts.
  void add(std::uint32_t image, const CheckpointPlace& to, const std::vector<std::uint32_t>& hosts);
  // The image must not be written over.
  bool is_saving(std::uint32_t image) const;
  bool is_idle() const { return saves_.empty(); }
  // The last checkpoint that is whole.
  const std::optional<CheckpointPlace>& last() const { return last_; }
  // What is to be begun now.
  std::vector<ImageCopies::Copy> orders();

  // An order is over, or none of this host will ever be. Returns what has come to nothing by that.
  std::vector<CheckpointPlace> note(const CopyOrder& order, bool is_whole);
  std::vector<CheckpointPlace> lose_host(std::uint32_t host);

 private:
  enum class Phase : std::uint8_t { kWaits, kFiles, kIndex };
  struct Save {
    std::uint32_t image = 0;
    CheckpointPlace to;
    std::vector<std::uint32_t> hosts;
    Phase phase = Phase::kWaits;
    std::vector<ImageCopies::Copy> under_way = {};
    bool has_failed = false;
  };
  std::vector<CheckpointPlace> settle();

  std::deque<Save> saves_;  // the first one is under way
  std::optional<CheckpointPlace> last_;
};

}  // namespace weft::bootstrap
