#include "runtime/bootstrap/image_copies.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace weft::bootstrap {
namespace {

std::set<std::uint32_t> all_of(const std::vector<std::uint32_t>& hosts) { return {hosts.begin(), hosts.end()}; }

// The host after `host` in a ring of `ring`, which is not empty.
std::uint32_t next_host(std::uint32_t host, const std::set<std::uint32_t>& ring) {
  const auto next = ring.upper_bound(host);
  return next == ring.end() ? *ring.begin() : *next;
}

// Combines all files that one host sends to another into one order.
class Orders {
 public:
  void add(std::uint32_t from, std::uint32_t to, std::uint32_t file) { files_[{from, to}].push_back(file); }
  std::vector<ImageCopies::Copy> of_image(std::uint32_t image) const {
    std::vector<ImageCopies::Copy> copies;
    for (const auto& [way, files] : files_) {
      copies.push_back({.from = way.first, .order = {.image = image, .files = files, .to = way.second}});
    }
    return copies;
  }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> files_;
};

}  // namespace

void ImageCopies::written(std::uint32_t image, const std::vector<std::uint32_t>& hosts) {
  auto& files = holders_.at(image);
  files.assign(hosts.size() + 1, {});
  files.front().insert(hosts.front());
  for (std::size_t p = 0; p < hosts.size(); ++p) {
    files[p + 1].insert(hosts[p]);
  }
}

void ImageCopies::copied(const CopyOrder& order) {
  auto& files = holders_.at(order.image);
  for (const std::uint32_t file : order.files) {
    if (file < files.size()) {
      files[file].insert(order.to);
    }
  }
}

void ImageCopies::lose_host(std::uint32_t host) {
  for (auto& image : holders_) {
    for (auto& file : image) {
      file.erase(host);
    }
  }
}

bool ImageCopies::is_available(std::uint32_t image) const {
  const auto& files = holders_.at(image);
  return !files.empty() && std::ranges::none_of(files, [](const auto& holders) { return holders.empty(); });
}

std::vector<std::uint32_t> ImageCopies::files_of(std::uint32_t image, std::uint32_t host) const {
  const auto& files = holders_.at(image);
  std::vector<std::uint32_t> its;
  for (std::uint32_t file = 0; file < files.size(); ++file) {
    if (files[file].contains(host)) {
      its.push_back(file);
    }
  }
  return its;
}

std::vector<std::uint32_t> ImageCopies::readers(std::uint32_t image, const std::vector<std::uint32_t>& hosts,
                                                const std::vector<std::optional<std::uint32_t>>& before,
                                                const std::vector<std::uint32_t>& earlier) const {
  const auto& files = holders_.at(image);
  std::vector<std::uint32_t> counts(hosts.size());  // of files, by process
  std::vector<std::uint32_t> readers;
  std::vector<std::uint32_t> left;  // files that nobody reads yet
  for (std::uint32_t file = 1; file < files.size(); ++file) {
    const auto stays = std::ranges::find(before, std::optional(earlier.at(file - 1)));
    const auto reader = static_cast<std::uint32_t>(stays - before.begin());
    readers.push_back(reader);
    if (stays == before.end()) {
      left.push_back(file);
    } else {
      ++counts[reader];
    }
  }
  for (const std::uint32_t file : left) {
    const auto cost = [&](std::uint32_t process) {
      return std::pair(!files[file].contains(hosts[process]), counts[process]);
    };
    std::uint32_t best = 0;
    for (std::uint32_t process = 1; process < hosts.size(); ++process) {
      best = cost(process) < cost(best) ? process : best;
    }
    readers[file - 1] = best;
    ++counts[best];
  }
  return readers;
}

std::vector<ImageCopies::Copy> ImageCopies::needed(std::uint32_t image, const std::vector<std::uint32_t>& hosts,
                                                   const std::vector<std::uint32_t>& readers) const {
  const auto& files = holders_.at(image);
  Orders orders;
  const auto need = [&](std::uint32_t file, std::uint32_t host) {
    if (file < files.size() && !files[file].empty() && !files[file].contains(host)) {
      orders.add(*files[file].begin(), host, file);
    }
  };
  for (const std::uint32_t host : all_of(hosts)) {
    need(0, host);
  }
  for (std::uint32_t p = 0; p < readers.size(); ++p) {
    need(p + 1, hosts.at(readers[p]));
  }
  return orders.of_image(image);
}

std::vector<ImageCopies::Copy> ImageCopies::missing_replicas(std::uint32_t image,
                                                             const std::vector<std::uint32_t>& hosts) const {
  const auto& files = holders_.at(image);
  const auto ring = all_of(hosts);
  Orders orders;
  for (const std::uint32_t host : ring) {
    if (!files.at(0).empty() && !files[0].contains(host)) {
      orders.add(*files[0].begin(), host, 0);
    }
  }
  for (std::uint32_t file = 1; ring.size() > 1 && file < files.size(); ++file) {
    if (files[file].size() == 1) {
      const std::uint32_t holder = *files[file].begin();
      orders.add(holder, next_host(holder, ring), file);
    }
  }
  return orders.of_image(image);
}

std::vector<std::uint32_t> ImageCopies::without(std::uint32_t lost, std::optional<std::uint32_t> image,
                                                const std::vector<std::uint32_t>& hosts,
                                                const std::vector<std::uint32_t>& readers) const {
  auto ring = all_of(hosts);
  ring.erase(lost);
  if (ring.empty()) {
    return {};
  }
  std::vector<std::uint32_t> places = hosts;
  for (std::uint32_t p = 0; p < places.size(); ++p) {
    if (places[p] == lost) {
      const auto file = std::ranges::find(readers, p);
      places[p] = next_host(lost, ring);
      if (image && file != readers.end()) {
        const auto& holders = holders_.at(*image).at(static_cast<std::size_t>(file - readers.begin()) + 1);
        const auto of_ring = std::ranges::find_if(holders, [&](std::uint32_t host) { return ring.contains(host); });
        places[p] = of_ring == holders.end() ? *holders.begin() : *of_ring;
      }
    }
  }
  return places;
}

}  // namespace weft::bootstrap
