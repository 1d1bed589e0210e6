#include "runtime/bootstrap/image_saves.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace weft::bootstrap {
namespace {

constexpr std::uint32_t kLauncherHost = 0;

}  // namespace

void ImageSaves::add(std::uint32_t image, const CheckpointTarget& to, const std::vector<std::uint32_t>& hosts) {
  saves_.push_back({.image = image, .to = to, .hosts = hosts});
}

// A save of which a part has failed counts until its other parts are over: they still read the image.
bool ImageSaves::is_saving(std::uint32_t image) const {
  return std::ranges::any_of(saves_,
                             [image](const Save& save) { return save.image == image && save.phase < Phase::kFailed; });
}

std::optional<CheckpointTarget> ImageSaves::expected() const {
  const auto found = std::find_if(saves_.rbegin(), saves_.rend(), [](const Save& save) { return !save.has_failed; });
  return found == saves_.rend() ? std::nullopt : std::optional(found->to);
}

std::vector<ImageCopies::Copy> ImageSaves::orders() {
  if (saves_.empty() || !saves_.front().under_way.empty()) {
    return {};
  }
  begin_next(saves_.front());
  return saves_.front().under_way;
}

void ImageSaves::begin_next(Save& save) {
  const auto order_launcher = [&](DiskWork work) {
    save.under_way.push_back(
        {.from = kLauncherHost, .order = {.image = save.image, .files = {}, .disk = save.to, .work = work}});
  };
  switch (save.phase) {
    case Phase::kWaits:
      save.phase = Phase::kFolder;
      order_launcher(DiskWork::folder);
      break;
    case Phase::kFolder: {
      save.phase = Phase::kFiles;
      std::map<std::uint32_t, std::vector<std::uint32_t>> files{{save.hosts.front(), {0}}};  // by host
      for (std::uint32_t process = 0; process < save.hosts.size(); ++process) {
        files[save.hosts[process]].push_back(1 + process);
      }
      for (auto& [host, its] : files) {
        save.under_way.push_back(
            {.from = host, .order = {.image = save.image, .files = std::move(its), .disk = save.to}});
      }
      break;
    }
    case Phase::kFiles:
      save.phase = Phase::kName;
      order_launcher(DiskWork::name);
      break;
    case Phase::kFailed:
      save.phase = Phase::kRemoval;
      order_launcher(DiskWork::removal);
      break;
    case Phase::kName:
    case Phase::kRemoval:
      break;  // nothing follows
  }
}

std::vector<CheckpointTarget> ImageSaves::note(const CopyOrder& order, bool is_whole) {
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

std::vector<CheckpointTarget> ImageSaves::lose_host(std::uint32_t host) {
  for (Save& save : saves_) {
    const bool has_order = std::erase_if(save.under_way, [host](const auto& copy) { return copy.from == host; }) != 0;
    const bool will_have = save.phase < Phase::kFiles && std::ranges::find(save.hosts, host) != save.hosts.end();
    save.has_failed = save.has_failed || has_order || will_have;
  }
  return settle();
}

std::vector<CheckpointTarget> ImageSaves::give_up() {
  std::vector<CheckpointTarget> abandoned;
  for (Save& save : saves_) {
    if (save.phase < Phase::kFailed) {
      abandoned.push_back(save.to);
    }
    save.phase = Phase::kFailed;
    save.has_failed = true;
    save.under_way.clear();
  }
  return abandoned;
}

std::vector<CheckpointTarget> ImageSaves::unfinished() const {
  std::vector<CheckpointTarget> targets;
  std::ranges::transform(saves_, std::back_inserter(targets), &Save::to);
  return targets;
}

std::vector<CheckpointTarget> ImageSaves::settle() {
  std::vector<CheckpointTarget> abandoned;
  std::erase_if(saves_, [&](Save& save) { return is_over(save, abandoned); });
  return abandoned;
}

// A save of which a part has failed waits for its other parts.
bool ImageSaves::is_over(Save& save, std::vector<CheckpointTarget>& abandoned) {
  if (!save.under_way.empty()) {
    return false;
  }
  if (save.has_failed && save.phase < Phase::kFailed) {
    abandoned.push_back(save.to);
    const bool has_folder = save.phase != Phase::kWaits;
    save.phase = Phase::kFailed;
    return !has_folder;
  }
  if (save.phase == Phase::kName) {
    last_ = save.to;
  }
  return save.phase == Phase::kName || save.phase == Phase::kRemoval;
}

}  // namespace weft::bootstrap
