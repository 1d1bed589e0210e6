#include "runtime/bootstrap/image_saves.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace weft::bootstrap {

void ImageSaves::add(std::uint32_t image, const CheckpointPlace& to, const std::vector<std::uint32_t>& hosts) {
  std::erase_if(saves_, [](const Save& save) { return save.phase == Phase::kWaits; });
  saves_.push_back({.image = image, .to = to, .hosts = hosts});
}

bool ImageSaves::is_saving(std::uint32_t image) const {
  return std::ranges::find(saves_, image, &Save::image) != saves_.end();
}

std::vector<ImageCopies::Copy> ImageSaves::orders() {
  if (saves_.empty() || !saves_.front().under_way.empty()) {
    return {};
  }
  Save& save = saves_.front();
  std::map<std::uint32_t, std::vector<std::uint32_t>> files;  // by host
  if (save.phase == Phase::kWaits) {
    save.phase = Phase::kFiles;
    for (std::uint32_t process = 0; process < save.hosts.size(); ++process) {
      files[save.hosts[process]].push_back(1 + process);
    }
  } else {
    save.phase = Phase::kIndex;
    files[save.hosts.front()].push_back(0);
  }
  for (auto& [host, its] : files) {
    save.under_way.push_back({.from = host, .order = {.image = save.image, .files = std::move(its), .disk = save.to}});
  }
  return save.under_way;
}

std::vector<CheckpointPlace> ImageSaves::note(const CopyOrder& order, bool is_whole) {
  if (saves_.empty()) {
    return {};
  }
  Save& save = saves_.front();
  const auto its = std::ranges::find(save.under_way, order, &ImageCopies::Copy::order);
  if (its == save.under_way.end()) {
    return {};  // of a host that is lost
  }
  save.under_way.erase(its);
  save.has_failed = save.has_failed || !is_whole;
  return settle();
}

std::vector<CheckpointPlace> ImageSaves::lose_host(std::uint32_t host) {
  for (Save& save : saves_) {
    std::erase_if(save.under_way, [host](const auto& copy) { return copy.from == host; });
    const bool is_missed =
        save.phase == Phase::kIndex ? save.under_way.empty() : std::ranges::find(save.hosts, host) != save.hosts.end();
    save.has_failed = save.has_failed || is_missed;
  }
  return settle();
}

// Those that are over are there no more; others of which a part has failed wait for the end of their other parts.
std::vector<CheckpointPlace> ImageSaves::settle() {
  std::vector<CheckpointPlace> in_vain;
  std::erase_if(saves_, [&](const Save& save) {
    const bool is_over = save.under_way.empty() && (save.has_failed || save.phase == Phase::kIndex);
    if (is_over && save.has_failed) {
      in_vain.push_back(save.to);
    } else if (is_over) {
      last_ = save.to;
    }
    return is_over;
  });
  return in_vain;
}

}  // namespace weft::bootstrap
