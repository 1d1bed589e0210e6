// The energy that this machine uses: from RAPL, or from a model where that cannot be read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::runtime {
inline namespace meter {

// The RAPL counters of a machine's processor packages, where the system has them and allows reading them.
class EnergyCounters {
 public:
  // Only tests pass another folder.
  explicit EnergyCounters(const std::string& folder = "/sys/class/powercap");
  bool readable() const { return !packages_.empty(); }
  // Joules used since construction. Must be called at least once each time a counter wraps around: at full power after
  // some minutes.
  double joules();

 private:
  struct Package {
    std::string file;
    std::uint64_t last = 0;
    std::uint64_t range = 0;  // microjoules after which the counter wraps around
  };
  std::vector<Package> packages_;
  double joules_ = 0;
};

// From Gupta/Sarood 2013, section V: the power of an idle machine, and of one at full use.
constexpr double kBaseWatts = 40;
constexpr double kMostWatts = 107;
// `busy`: seconds for which cores were not idle, summed over all `cores` cores.
double modelled_joules(double seconds, double busy, std::uint32_t cores);

// The energy of this machine since construction: by its RAPL counters, else by the model with the use of all its cores.
// Not thread-safe.
class EnergyMeter {
 public:
  EnergyMeter();
  double joules();
  // "RAPL", or a description of the model.
  std::string source() const;

 private:
  EnergyCounters counters_;
  double began_;        // seconds of the steady clock
  double idle_before_;  // idle seconds of all cores at that time
};

}  // namespace meter
}  // namespace weft::runtime
