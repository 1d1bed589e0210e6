// Which images of a job's ranks go to checkpoints on a disk, one after the other, while the ranks go on: the launcher's
// host, which is never lost, makes the folder, each host writes the files of its own processes, that of process 0 the
// index, too, and the launcher's host gives the checkpoint its name once all are there. Where a part fails the
// launcher's host removes the folder. Knows neither files nor connections.
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
  // `hosts`: of each process that has written a file of the image.
  void add(std::uint32_t image, const CheckpointTarget& to, const std::vector<std::uint32_t>& hosts);
  // The image must not be written over.
  bool is_saving(std::uint32_t image) const;
  // The last checkpoint that may still become whole.
  std::optional<CheckpointTarget> expected() const;
  // The last one that is.
  const std::optional<CheckpointTarget>& last() const { return last_; }
  // What is to be begun now.
  std::vector<ImageCopies::Copy> orders();

  // An order is over, or none of this host will ever be. Returns what comes to nothing by that.
  std::vector<CheckpointTarget> note(const CopyOrder& order, bool is_whole);
  std::vector<CheckpointTarget> lose_host(std::uint32_t host);
  // All that is not whole comes to nothing; its folder may be there still. Returns what does by that.
  std::vector<CheckpointTarget> give_up();
  std::vector<CheckpointTarget> unfinished() const;

 private:
  enum class Phase : std::uint8_t { kWaits, kFolder, kFiles, kName, kFailed, kRemoval };
  struct Save {
    std::uint32_t image = 0;
    CheckpointTarget to;
    std::vector<std::uint32_t> hosts;
    Phase phase = Phase::kWaits;
    std::vector<ImageCopies::Copy> under_way = {};
    bool has_failed = false;
  };
  static void begin_next(Save& save);
  bool is_over(Save& save, std::vector<CheckpointTarget>& in_vain);
  std::vector<CheckpointTarget> settle();

  std::deque<Save> saves_;  // the first one is under way
  std::optional<CheckpointTarget> last_;
};

}  // namespace weft::bootstrap
