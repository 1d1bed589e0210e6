#include "runtime/bootstrap/job_images.hpp"

#include <algorithm>
#include <utility>

namespace weft::bootstrap {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr seconds kFirstPause{1};
constexpr seconds kLongestPause{60};

}  // namespace

bool JobImages::may_write(std::uint32_t image, const std::vector<std::uint32_t>& hosts) {
  if (!is_at_rest()) {
    return false;
  }
  const std::uint32_t other = 1 - image;
  if (copies_.is_there(other) && !copies_.wanted(other, hosts).empty()) {
    if (Clock::now() >= try_at_) {
      protect(other, hosts);
    }
    return false;
  }
  copies_.begin(image);
  keep_files(image, hosts);
  return true;
}

// The files that processes on these hosts are about to write, and those that will be copied. Nothing of the image is on
// its way, and none of its files is asked for before all hosts have answered.
void JobImages::keep_files(std::uint32_t image, const std::vector<std::uint32_t>& hosts) {
  ImageCopies after;
  after.written(image, hosts);
  for (const ImageCopies::Copy& copy : after.wanted(image, hosts)) {
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
    copies_.lose_host(host);  // it was written before the loss, and is told of after it
  }
  protect(image, hosts);
}

void JobImages::protect(std::uint32_t image, const std::vector<std::uint32_t>& hosts) {
  if (copies_.is_there(image)) {
    order(copies_.wanted(image, hosts));
  }
}

void JobImages::order(const std::vector<ImageCopies::Copy>& copies) {
  for (const ImageCopies::Copy& copy : copies) {
    if (std::ranges::find(on_their_way_, copy) == on_their_way_.end()) {
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
  on_their_way_.push_back(copy);
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

void JobImages::lose_host(std::uint32_t host) {
  lost_hosts_.insert(host);
  copies_.lose_host(host);
  std::erase_if(on_their_way_, [host](const auto& copy) { return copy.from == host || copy.order.to == host; });
  here_.drop_host(host);
  others_->forget(host);
}

void JobImages::serve() {
  for (const HostImages::Outcome& outcome : here_.serve()) {
    note_copied(outcome.order, outcome.is_whole);
  }
}

void JobImages::note_copied(const CopyOrder& order, bool is_whole) {
  const auto its = std::ranges::find(on_their_way_, order, &ImageCopies::Copy::order);
  if (its == on_their_way_.end()) {
    return;  // of a host that is lost
  }
  on_their_way_.erase(its);
  if (is_whole) {
    copies_.copied(order);
    pause_ = kFirstPause;
  } else {
    try_at_ = Clock::now() + pause_;
    pause_ = std::min(2 * pause_, kLongestPause);
  }
}

}  // namespace weft::bootstrap
