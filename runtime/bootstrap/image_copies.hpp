// Which hosts of a job have which files of its two images, what has to be copied so that the loss of a host loses none,
// and where processes go that have lost their host. Knows neither files nor connections.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "runtime/bootstrap/host_images.hpp"
#include "runtime/bootstrap/image_files.hpp"

namespace weft::bootstrap {

// Hosts are numbered; `hosts` is that of each process. Files of an image are numbered as CopyOrder has it.
class ImageCopies {
 public:
  struct Copy {
    std::uint32_t from = 0;
    CopyOrder order;
    bool operator==(const Copy&) const = default;
  };

  // The image is about to be written over: nothing of it counts any more.
  void begin(std::uint32_t image) { holders_.at(image).clear(); }
  // It is whole: each process has written its file on its host, and process 0 the index.
  void written(std::uint32_t image, const std::vector<std::uint32_t>& hosts);
  // These files are on that host, too.
  void copied(const CopyOrder& order);
  void lose_host(std::uint32_t host);

  // Each file is on a host that lives.
  bool is_there(std::uint32_t image) const;
  // What processes of these hosts must have before they can start from it: its own file, and the index, on its host.
  // REQUIRES, here and below: is_there().
  std::vector<Copy> needed(std::uint32_t image, const std::vector<std::uint32_t>& hosts) const;
  // What is still on one host only: it goes to the next of the hosts, in a ring. The index goes to all.
  std::vector<Copy> wanted(std::uint32_t image, const std::vector<std::uint32_t>& hosts) const;
  // The hosts of the processes once `lost` is gone: its processes go where their files are, or, where there is no
  // image, to the next host of the ring. Empty: there is no host left.
  std::vector<std::uint32_t> without(std::uint32_t lost, std::optional<std::uint32_t> image,
                                     const std::vector<std::uint32_t>& hosts) const;

 private:
  // By file; empty: the image is not whole.
  std::array<std::vector<std::set<std::uint32_t>>, kImages> holders_;
};

}  // namespace weft::bootstrap
