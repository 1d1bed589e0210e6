// Manages the images of a job's ranks on all of its hosts, for the launcher. It replicates files so that the loss of a
// host loses none, copies files to where processes need them to start, and has images written to a disk as checkpoints.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/bootstrap/host_images.hpp"
#include "runtime/bootstrap/image_copies.hpp"
#include "runtime/bootstrap/image_saves.hpp"
#include "runtime/bootstrap/remote_hosts.hpp"

namespace weft::bootstrap {

class JobImages {
 public:
  // `others`: null while the job has only this host.
  explicit JobImages(std::optional<RemoteHosts>& others) : others_(others) {}

  // The files on this host.
  ImageFiles& files() { return here_.files(); }
  const ImageCopies& copies() const { return copies_; }

  // Whether the image may be overwritten now. It may not before the other image has been replicated, since until then
  // the loss of a host could lose both, nor while it is copied to a disk. Failed replications are tried again after a
  // while. If it may, the image's files become invalid, and each host frees the memory of the files that it will not
  // have again.
  bool may_write(std::uint32_t image, const std::vector<std::uint32_t>& hosts);
  // The image is complete; `hosts`: of each process. Starts to replicate it.
  void written(std::uint32_t image, const std::vector<std::uint32_t>& hosts);
  // Replicates files that are on one host only, after hosts have been lost.
  void replicate(std::uint32_t image, const std::vector<std::uint32_t>& hosts);
  // Copies the image (parameters as for written()) to checkpoint `step` of this folder while the ranks go on. Returns
  // the target. Failures are printed.
  CheckpointTarget save(std::uint32_t image, const std::string& folder, std::uint64_t step,
                        const std::vector<std::uint32_t>& hosts);
  // The last checkpoint that may still be completed, and the last completed one.
  std::optional<CheckpointTarget> expected_save() const { return saves_.expected(); }
  const std::optional<CheckpointTarget>& last_saved() const { return saves_.last(); }
  // Stops copying images to a disk, and abandons unfinished checkpoints.
  void end_saving();
  // Starts these copies.
  void bring(const std::vector<ImageCopies::Copy>& copies) { order(copies); }
  // True when no copy is in flight.
  bool is_idle() const { return in_flight_.empty() && (!others_ || others_->have_kept()); }
  // The host is lost, or does not belong to the job any more.
  void lose_host(std::uint32_t host);
  bool is_lost(std::uint32_t host) const { return lost_hosts_.contains(host); }

  void watch(std::vector<pollfd>& watched) const { here_.watch(watched); }
  void serve();
  // Notes that an order is over.
  void note_copied(const CopyOrder& order, bool is_whole);

 private:
  void keep_files(std::uint32_t image, const std::vector<std::uint32_t>& hosts);
  void order(const std::vector<ImageCopies::Copy>& copies);
  void send(const ImageCopies::Copy& copy);
  void continue_saves(const std::vector<CheckpointTarget>& abandoned);

  std::optional<RemoteHosts>& others_;
  HostImages here_{0};
  ImageCopies copies_;
  ImageSaves saves_;
  // Starts from the time, so that it differs from those of other jobs in the same folder.
  std::uint64_t save_attempt_ =
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() / std::chrono::microseconds(1));
  std::set<std::string> folders_;  // to which images have been saved
  // The files that each host (second) may have of each image (first).
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> kept_;
  std::vector<ImageCopies::Copy> in_flight_;
  std::chrono::seconds pause_{1};                      // before a failed replication is tried again
  std::chrono::steady_clock::time_point try_at_ = {};  // when it may be tried again
  std::set<std::uint32_t> lost_hosts_;
};

}  // namespace weft::bootstrap
