// What-if changes of a platform file: another shape, other links, other values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/platform.hpp"

namespace weft::sim {

struct PlatformChange {
  std::uint32_t hosts = 0;      // 0, here and in the next two: as in the file
  std::uint32_t processes = 0;  // on all hosts together, as weftrun --processes
  std::uint32_t workers = 0;    // on all hosts together, as weftrun --workers
  double speed = 1.0;           // factor for all cores
  double latency = 1.0;         // factors for the links between processes and hosts
  double bandwidth = 1.0;
  std::vector<std::string> values{};  // "sites[0].hosts[1].speed=0.5"; [+] appends an element to an array
  friend bool operator==(const PlatformChange&, const PlatformChange&) = default;
};

// A platform file, read once, from which changed platforms are made.
class PlatformFile {
 public:
  explicit PlatformFile(const std::string& file);
  PlatformFile(std::string text, std::string name) : name_(std::move(name)), text_(std::move(text)) {}

  // Throws PlatformError for what read_platform() refuses, and for invalid changes. A change of hosts, processes or
  // workers needs a platform of equal hosts: one site with one entry of hosts.
  [[nodiscard]] Platform with(const PlatformChange& change) const;

 private:
  std::string name_;
  std::string text_;
};

}  // namespace weft::sim
