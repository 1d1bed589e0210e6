// Energy that this machine uses: from RAPL, or by a model where that cannot be read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::runtime {
inline namespace meter {

// RAPL counters of a machine's processor packages, where the system has them and lets us read them.
class EnergyCounters {
 public:
  // The folder is /sys/class/powercap but in tests.
  explicit EnergyCounters(const std::string& folder = "/sys/class/powercap");
  bool readable() const { return !packages_.empty(); }
  // Since it was made. Must be asked once before a counter has gone round twice: at full power that is some minutes.
  double joules();

 private:
  struct Package {
    std::string file;
    std::uint64_t last = 0;
    std::uint64_t range = 0;  // it goes round after this, microjoules
  };
  std::vector<Package> packages_;
  double joules_ = 0;
};

// The power of Gupta/Sarood 2013, section V: 40 W for a machine that does nothing, 107 W at its most.
constexpr double kBaseWatts = 40;
constexpr double kMostWatts = 107;
// `busy`: seconds that cores were not idle, all together; of `cores` cores.
double modelled_joules(double seconds, double busy, std::uint32_t cores);

// Of this machine since it was made: what its counters say, else the model with the use of all its cores.
class EnergyMeter {
 public:
  EnergyMeter();
  double joules();
  // "RAPL", or the model's words.
  std::string source() const;

 private:
  EnergyCounters counters_;
  double began_;
  double idle_before_;
};

}  // namespace meter
}  // namespace weft::runtime
