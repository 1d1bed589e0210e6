// What if: a platform file with another shape, other links, other values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/platform.hpp"

namespace weft::sim {

struct PlatformChange {
  std::uint32_t hosts = 0;      // 0: as the file has it; so the next two
  std::uint32_t processes = 0;  // on all hosts together, as weftrun --processes
  std::uint32_t workers = 0;    // the same, as weftrun --workers
  double speed = 1.0;           // factors: of all cores,
  double latency = 1.0;         // of the links between processes and hosts
  double bandwidth = 1.0;
  std::vector<std::string> values{};  // "sites[0].hosts[1].speed=0.5"; [+]: a further element of an array
  friend bool operator==(const PlatformChange&, const PlatformChange&) = default;
};

// A platform file that was read once, to be changed in many ways.
class PlatformFile {
 public:
  explicit PlatformFile(const std::string& file);
  PlatformFile(std::string text, std::string name) : name_(std::move(name)), text_(std::move(text)) {}

  // Throws PlatformError for what read_platform() refuses, and for changes that make no sense. Shapes need a platform
  // whose hosts are alike: one site, with one entry of hosts.
  [[nodiscard]] Platform with(const PlatformChange& change) const;

 private:
  std::string name_;
  std::string text_;
};

}  // namespace weft::sim
