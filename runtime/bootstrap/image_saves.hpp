// Plans how images of a job's ranks are copied to checkpoints on a disk, one after the other, while the ranks go on.
// The launcher's host, which is never lost, creates the folder. Each host writes the files of its own processes, and
// that of process 0 also the index. Then the launcher's host gives the checkpoint its name. If a part fails, the
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
  // True if the image is being saved, so that it must not be overwritten.
  bool is_saving(std::uint32_t image) const;
  // The last checkpoint that may still be completed.
  std::optional<CheckpointTarget> expected() const;
  // The last completed checkpoint.
  const std::optional<CheckpointTarget>& last() const { return last_; }
  // The orders to start now.
  std::vector<ImageCopies::Copy> orders();

  // An order is over, or all orders of this host have failed. Returns the targets that are abandoned as a result.
  std::vector<CheckpointTarget> note(const CopyOrder& order, bool is_whole);
  std::vector<CheckpointTarget> lose_host(std::uint32_t host);
  // Abandons all incomplete checkpoints, whose folders may still exist. Returns their targets.
  std::vector<CheckpointTarget> give_up();
  std::vector<CheckpointTarget> unfinished() const;

 private:
  // What is under way. kFailed: a part has failed, and all others are over; the folder is removed next.
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
  bool is_over(Save& save, std::vector<CheckpointTarget>& abandoned);
  std::vector<CheckpointTarget> settle();

  std::deque<Save> saves_;  // the first one is being written
  std::optional<CheckpointTarget> last_;
};

}  // namespace weft::bootstrap
