// A catalogue of machines and their prices, read from a JSON file; docs/prediction.md describes its keys.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace weft::predict {

// The network between instances of a machine.
struct NetworkClass {
  std::string name{};
  double latency = 0.0;           // seconds
  double seconds_per_byte = 0.0;  // T_w
  double overhead = 0.0;          // seconds of a core for each message, at each end
};

struct Machine {
  std::string name{};
  std::uint32_t cores = 1;
  double speed = 1.0;  // of a core; only the ratios between machines matter
  double quota = 1.0;  // the part of its cores' time that the job may use, as by a cgroup's CPU quota
  NetworkClass network{};
  double price_per_hour = 0.0;  // of an instance
  std::uint32_t most_instances = 1;

  // Of a core, by the clock on the wall.
  [[nodiscard]] double effective_speed() const { return speed * quota; }
};

struct Catalogue {
  std::string currency = "USD";
  std::vector<Machine> machines{};
  // Throws CatalogueError, which lists the existing names.
  [[nodiscard]] const Machine& named(std::string_view name) const;
};

class CatalogueError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// These throw CatalogueError with a line for each mistake; unknown keys are mistakes.
Catalogue read_catalogue(const std::string& file);
Catalogue parse_catalogue(std::string_view text, const std::string& name);

}  // namespace weft::predict
