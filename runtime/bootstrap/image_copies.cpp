#include "runtime/bootstrap/image_copies.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace weft::bootstrap {
namespace {

std::set<std::uint32_t> all_of(const std::vector<std::uint32_t>& hosts) { return {hosts.begin(), hosts.end()}; }

// The one after `host` in a ring of `ring`, which is not empty.
std::uint32_t next_host(std::uint32_t host, const std::set<std::uint32_t>& ring) {
  const auto next = ring.upper_bound(host);
  return next == ring.end() ? *ring.begin() : *next;
}

// One order for all that goes from one host to another.
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

bool ImageCopies::is_there(std::uint32_t image) const {
  const auto& files = holders_.at(image);
  return !files.empty() && std::ranges::none_of(files, [](const auto& holders) { return holders.empty(); });
}

std::vector<ImageCopies::Copy> ImageCopies::needed(std::uint32_t image, const std::vector<std::uint32_t>& hosts) const {
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
  for (std::uint32_t p = 0; p < hosts.size(); ++p) {
    need(p + 1, hosts[p]);
  }
  return orders.of_image(image);
}

std::vector<ImageCopies::Copy> ImageCopies::wanted(std::uint32_t image, const std::vector<std::uint32_t>& hosts) const {
  const auto& files = holders_.at(image);
  const auto ring = all_of(hosts);
  Orders orders;
  for (const std::uint32_t host : ring) {
    if (!files.at(0).empty() && !files[0].contains(host)) {
      orders.add(*files[0].begin(), host, 0);
    }
  }
  for (std::uint32_t p = 0; ring.size() > 1 && p < hosts.size(); ++p) {
    if (files.at(p + 1).size() == 1) {
      const std::uint32_t holder = *files[p + 1].begin();
      orders.add(holder, next_host(holder, ring), p + 1);
    }
  }
  return orders.of_image(image);
}

std::vector<std::uint32_t> ImageCopies::without(std::uint32_t lost, std::optional<std::uint32_t> image,
                                                const std::vector<std::uint32_t>& hosts) const {
  auto ring = all_of(hosts);
  ring.erase(lost);
  if (ring.empty()) {
    return {};
  }
  std::vector<std::uint32_t> places = hosts;
  for (std::size_t p = 0; p < places.size(); ++p) {
    if (places[p] == lost) {
      places[p] = image ? *holders_.at(*image).at(p + 1).begin() : next_host(lost, ring);
    }
  }
  return places;
}

}  // namespace weft::bootstrap
