// The images of a job's ranks on all of its hosts, for the launcher: has files copied, so that the loss of a host loses
// none, brings those that processes need to where they start, and has images written to a disk as checkpoints.
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
  // `others`: null as long as the job has this host alone.
  explicit JobImages(std::optional<RemoteHosts>& others) : others_(others) {}

  // This host's.
  ImageFiles& files() { return here_.files(); }
  const ImageCopies& copies() const { return copies_; }

  // Whether the image may be written over now: not before the other one has its copies, since until then the loss of a
  // host would leave neither, and not while it goes to a disk. Copies that could not be made are ordered again after a
  // while. If it may, what there is of it counts no more, and files of it that a host will not have again give their
  // memory back.
  bool may_write(std::uint32_t image, const std::vector<std::uint32_t>& hosts);
  // It is whole, on these hosts (of each process): copies are on their way from here on.
  void written(std::uint32_t image, const std::vector<std::uint32_t>& hosts);
  // The same for what has only one host, after hosts have been lost.
  void protect(std::uint32_t image, const std::vector<std::uint32_t>& hosts);
  // The image, as written() has it, goes to checkpoint `step` of this folder while the ranks go on: which target that
  // is. What fails a line says.
  CheckpointTarget save(std::uint32_t image, const std::string& folder, std::uint64_t step,
                        const std::vector<std::uint32_t>& hosts);
  // The last checkpoint that may still become whole there, and the last one that is.
  std::optional<CheckpointTarget> expected_save() const { return saves_.expected(); }
  const std::optional<CheckpointTarget>& last_saved() const { return saves_.last(); }
  // No image will go to a disk any more, and what is on the way is given up.
  void end_saving();
  // Has these files brought to where they are needed.
  void bring(const std::vector<ImageCopies::Copy>& copies) { order(copies); }
  // Nothing is on its way.
  bool is_at_rest() const { return on_their_way_.empty() && (!others_ || others_->have_kept()); }
  // It is lost, or the job's no more.
  void lose_host(std::uint32_t host);
  bool is_lost(std::uint32_t host) const { return lost_hosts_.contains(host); }

  void watch(std::vector<pollfd>& watched) const { here_.watch(watched); }
  void serve();
  // An order is over.
  void note_copied(const CopyOrder& order, bool is_whole);

 private:
  void keep_files(std::uint32_t image, const std::vector<std::uint32_t>& hosts);
  void order(const std::vector<ImageCopies::Copy>& copies);
  void send(const ImageCopies::Copy& copy);
  void go_on_saving(const std::vector<CheckpointTarget>& in_vain);

  std::optional<RemoteHosts>& others_;
  HostImages here_{0};
  ImageCopies copies_;
  ImageSaves saves_;
  // Other jobs have had others in the same folder.
  std::uint64_t save_attempt_ =
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() / std::chrono::microseconds(1));
  std::set<std::string> folders_;  // that images have been saved to
  // What each host (second) may have of each image (first).
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> kept_;
  std::vector<ImageCopies::Copy> on_their_way_;
  std::chrono::seconds pause_{1};                      // before what has failed is tried again
  std::chrono::steady_clock::time_point try_at_ = {};  // not before
  std::set<std::uint32_t> lost_hosts_;
};

}  // namespace weft::bootstrap
