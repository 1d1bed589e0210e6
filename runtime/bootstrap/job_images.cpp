#include "runtime/bootstrap/job_images.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/say.hpp"
#include "runtime/bootstrap/checkpoint_folder.hpp"

namespace weft::bootstrap {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr seconds kFirstPause{1};
constexpr seconds kLongestPause{60};

void say_given_up(const CheckpointTarget& target) {
  base::say(fmt::format("weftrun: the checkpoint of step {} in {} is given up\n", target.step, target.folder));
}

}  // namespace

bool JobImages::may_write(std::uint32_t image, const std::vector<std::uint32_t>& hosts) {
  if (!is_idle() || saves_.is_saving(image)) {
    return false;
  }
  const std::uint32_t other = 1 - image;
  if (copies_.is_available(other) && !copies_.missing_replicas(other, hosts).empty()) {
    if (Clock::now() >= try_at_) {
      replicate(other, hosts);
    }
    return false;
  }
  copies_.begin(image);
  keep_files(image, hosts);
  return true;
}

// Lets each host keep only the files that processes on these hosts are about to write, and their future copies. No copy
// of the image is in flight, and none of its files is requested before all hosts have answered.
void JobImages::keep_files(std::uint32_t image, const std::vector<std::uint32_t>& hosts) {
  ImageCopies after;
  after.written(image, hosts);
  for (const ImageCopies::Copy& copy : after.missing_replicas(image, hosts)) {
    after.copied(copy.order);
  }
  for (std::uint32_t host = 0; host <= (others_ ? others_->count() : 0); ++host) {
    std::vector<std::uint32_t> files = after.files_of(image, host);
    std::vector<std::uint32_t>& kept = kept_[{image, host}];
    if (files == kept) {
      continue;
    }
    kept = std::move(files);
    if (host == 0) {
      here_.files().keep(image, kept);
    } else {
      others_->keep_files(host, image, kept);
    }
  }
}

void JobImages::written(std::uint32_t image, const std::vector<std::uint32_t>& hosts) {
  copies_.written(image, hosts);
  for (const std::uint32_t host : lost_hosts_) {
    copies_.lose_host(host);  // the image was written before the loss, which was reported first
  }
  replicate(image, hosts);
}

void JobImages::replicate(std::uint32_t image, const std::vector<std::uint32_t>& hosts) {
  if (copies_.is_available(image)) {
    order(copies_.missing_replicas(image, hosts));
  }
}

void JobImages::order(const std::vector<ImageCopies::Copy>& copies) {
  for (const ImageCopies::Copy& copy : copies) {
    if (std::ranges::find(in_flight_, copy) == in_flight_.end()) {
      send(copy);
    }
  }
}

void JobImages::send(const ImageCopies::Copy& copy) {
  const std::uint32_t to = copy.order.to;
  const auto port = to == 0 ? std::optional(here_.port()) : others_->files_port(to);
  if (!port) {
    return;
  }
  in_flight_.push_back(copy);
  std::vector<std::uint32_t>& kept = kept_[{copy.order.image, to}];
  for (const std::uint32_t file : copy.order.files) {
    if (std::ranges::find(kept, file) == kept.end()) {
      kept.push_back(file);
    }
  }
  if (copy.from == 0) {
    here_.send(copy.order, *port);
  } else {
    others_->copy_files(copy.from, copy.order, *port);
  }
}

CheckpointTarget JobImages::save(std::uint32_t image, const std::string& folder, std::uint64_t step,
                                 const std::vector<std::uint32_t>& hosts) {
  CheckpointTarget to{.folder = folder,
                      .step = step,
                      .attempt = ++save_attempt_,
                      .processes = static_cast<std::uint32_t>(hosts.size())};
  folders_.insert(folder);
  saves_.add(image, to, hosts);
  std::vector<CheckpointTarget> abandoned;
  for (const std::uint32_t host : lost_hosts_) {  // as in written()
    std::ranges::move(saves_.lose_host(host), std::back_inserter(abandoned));
  }
  continue_saves(abandoned);
  return to;
}

void JobImages::continue_saves(const std::vector<CheckpointTarget>& abandoned) {
  std::ranges::for_each(abandoned, say_given_up);
  for (const ImageCopies::Copy& copy : saves_.orders()) {
    if (copy.from == 0) {
      here_.save(copy.order);
    } else {
      others_->save_files(copy.from, copy.order);
    }
  }
}

void JobImages::end_saving() {
  serve();
  here_.end_saves();
  std::ranges::for_each(saves_.give_up(), say_given_up);
  for (const CheckpointTarget& target : saves_.unfinished()) {
    CheckpointFolder(target.folder, target.attempt).discard(target.step);
  }
  for (const std::string& folder : folders_) {
    CheckpointFolder(folder).remove_spare();
  }
}

void JobImages::lose_host(std::uint32_t host) {
  lost_hosts_.insert(host);
  copies_.lose_host(host);
  std::erase_if(in_flight_, [host](const auto& copy) { return copy.from == host || copy.order.to == host; });
  here_.drop_host(host);
  others_->forget(host);
  continue_saves(saves_.lose_host(host));
}

// Repeats, since an order that note_copied() begins may finish, or fail, at once.
void JobImages::serve() {
  for (auto over = here_.serve(); !over.empty(); over = here_.serve()) {
    for (const HostImages::FinishedOrder& outcome : over) {
      note_copied(outcome.order, outcome.is_whole);
    }
  }
}

void JobImages::note_copied(const CopyOrder& order, bool is_whole) {
  if (order.disk) {
    continue_saves(saves_.note(order, is_whole));
    return;
  }
  const auto its = std::ranges::find(in_flight_, order, &ImageCopies::Copy::order);
  if (its == in_flight_.end()) {
    return;  // of a host that is lost
  }
  in_flight_.erase(its);
  if (is_whole) {
    copies_.copied(order);
    pause_ = kFirstPause;
  } else {
    try_at_ = Clock::now() + pause_;
    pause_ = std::min(2 * pause_, kLongestPause);
  }
}

}  // namespace weft::bootstrap
