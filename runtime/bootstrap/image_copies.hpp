// Tracks which hosts of a job have which files of its two images. Determines what has to be copied so that the loss of
// a host loses no file, and where processes go that have lost their host. Knows neither files nor connections.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "runtime/bootstrap/host_images.hpp"
#include "runtime/bootstrap/image_files.hpp"

namespace weft::bootstrap {

// `hosts`: the host of each process. Files of an image are numbered as in CopyOrder. `readers`: by the process that has
// written a file, the process that reads it before the job continues.
class ImageCopies {
 public:
  struct Copy {
    std::uint32_t from = 0;
    CopyOrder order;
    bool operator==(const Copy&) const = default;
  };

  // The image is about to be overwritten: all its files are invalid.
  void begin(std::uint32_t image) { holders_.at(image).clear(); }
  // The image is complete: each process has written its file on its host, and process 0 the index.
  void written(std::uint32_t image, const std::vector<std::uint32_t>& hosts);
  // The files of `order` have been copied to its host.
  void copied(const CopyOrder& order);
  void lose_host(std::uint32_t host);

  // Whether each file is on a living host.
  bool is_available(std::uint32_t image) const;
  // The files that the host has.
  std::vector<std::uint32_t> files_of(std::uint32_t image, std::uint32_t host) const;
  // Assigns readers for processes on these hosts. `before`: which process each one was; `earlier`: the readers then. A
  // process that stays keeps its files. A file of a process that goes is read by the process with the fewest files, if
  // possible on a host that has the file. REQUIRES, here and below: is_available().
  std::vector<std::uint32_t> readers(std::uint32_t image, const std::vector<std::uint32_t>& hosts,
                                     const std::vector<std::optional<std::uint32_t>>& before,
                                     const std::vector<std::uint32_t>& earlier) const;
  // The copies that processes on these hosts need before they can start: the files that they read, and the index.
  std::vector<Copy> needed(std::uint32_t image, const std::vector<std::uint32_t>& hosts,
                           const std::vector<std::uint32_t>& readers) const;
  // The copies that are missing so that each file is on two hosts: from the only host to the next one in a ring. The
  // index goes to all hosts.
  std::vector<Copy> missing_replicas(std::uint32_t image, const std::vector<std::uint32_t>& hosts) const;
  // The hosts of the processes after the loss of `lost`. Its processes go to a host with a file that they read or,
  // without an image or such a file, to the next host of the ring. Empty: no host is left.
  std::vector<std::uint32_t> without(std::uint32_t lost, std::optional<std::uint32_t> image,
                                     const std::vector<std::uint32_t>& hosts,
                                     const std::vector<std::uint32_t>& readers) const;

 private:
  // The hosts that have each file; empty: the image is incomplete.
  std::array<std::vector<std::set<std::uint32_t>>, kImages> holders_;
};

}  // namespace weft::bootstrap
