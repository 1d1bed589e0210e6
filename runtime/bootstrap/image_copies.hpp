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

// Hosts are numbered; `hosts` is that of each process. Files of an image are numbered as CopyOrder has it. `readers`:
// by the process that has written a file, the one that reads it before the job goes on.
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
  // Those that the host has.
  std::vector<std::uint32_t> files_of(std::uint32_t image, std::uint32_t host) const;
  // For processes on these hosts, of which `before` says which process each was, and `earlier` the readers then: one
  // that stays reads what it did; a file of one that goes is read by the one of the fewest files, on a host that has it
  // already where there is one. REQUIRES, here and below: is_there().
  std::vector<std::uint32_t> readers(std::uint32_t image, const std::vector<std::uint32_t>& hosts,
                                     const std::vector<std::optional<std::uint32_t>>& before,
                                     const std::vector<std::uint32_t>& earlier) const;
  // What processes of these hosts must have before they can start from it: the files that they read, and the index.
  std::vector<Copy> needed(std::uint32_t image, const std::vector<std::uint32_t>& hosts,
                           const std::vector<std::uint32_t>& readers) const;
  // What is still on one host only: it goes to the next of the hosts, in a ring. The index goes to all.
  std::vector<Copy> wanted(std::uint32_t image, const std::vector<std::uint32_t>& hosts) const;
  // The hosts of the processes once `lost` is gone: its processes go where a file is that they read, or, where there is
  // no image or no such file, to the next host of the ring. Empty: there is no host left.
  std::vector<std::uint32_t> without(std::uint32_t lost, std::optional<std::uint32_t> image,
                                     const std::vector<std::uint32_t>& hosts,
                                     const std::vector<std::uint32_t>& readers) const;

 private:
  // By file; empty: the image is not whole.
  std::array<std::vector<std::set<std::uint32_t>>, kImages> holders_;
};

}  // namespace weft::bootstrap
