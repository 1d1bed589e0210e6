// From timings that probes have taken on a machine to the parameters of a platform. docs/simulation.md says how each is
// measured; weftsim calibrate runs the probes (tools/weftsim/probe.c).
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/platform.hpp"

namespace weft::sim {

struct Timing {
  std::string what;
  std::uint64_t bytes = 0;
  Seconds seconds = 0.0;
};

// What one probe has said. A round has each timing once.
struct ProbeOutput {
  std::uint32_t ranks = 0;
  std::uint32_t workers = 0;
  std::uint32_t numa_nodes = 0;
  std::vector<std::vector<Timing>> rounds{};
};

class ProbeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// Throws ProbeError for anything but a probe's lines.
ProbeOutput parse_probe(std::string_view text);

// The median of all rounds' values, and half of what lies between their quartiles.
struct Figure {
  double value = 0.0;
  double spread = 0.0;
};
Figure figure_of(std::vector<double> values);

struct LinkFigures {
  Figure overhead{};
  Figure latency{};
  Figure gap{};
  Figure per_byte{};
  Figure copy_per_byte{};
  double misfit = 0.0;  // of a typical round: relative
};

// How messages of a link travel; what a half round trip of n bytes takes by the simulator's model, where a message up
// to the eager limit is short:
enum class LinkKind : std::uint8_t {
  same_worker,        // short: 2 o + switch + 2 n copy; long: 2 o + switch + n copy
  in_memory,          // short: 2 o + L + n G + 2 n copy; long: 2 o + 3 L + n G + n copy
  between_processes,  // short: the same; long: 2 o + 3 L + n G
};
// A send alone, or a receive of what is there, takes o + n copy, and the fit takes these into account, too. g is what a
// message of 0 bytes takes in a flood. Of two ranks of one worker `latency` is the switch, timed by yielding in turn.
LinkFigures fit_link(std::span<const std::vector<Timing>> rounds, LinkKind kind, std::uint64_t eager_limit);

struct CollectiveFigures {
  Figure step{};
  Figure member{};
  Figure worker{};
  Figure per_byte{};
  double misfit = 0.0;
};
// Probes of several shapes, with as many rounds. Where ranks share a worker, a call takes a switch for each of them
// besides.
CollectiveFigures fit_collectives(std::span<const ProbeOutput> probes, Seconds switch_cost);

struct StepFigures {
  Figure step{};
  Figure move{};
};
// Rounds of "step", without moves, and of "moves", in which each rank moves to another worker.
StepFigures fit_steps(const ProbeOutput& probe, Seconds switch_cost);

// At one time of computing between calls.
struct ColdFigures {
  Seconds computing = 0.0;
  Figure message{};
  Figure switching{};
  Figure copy_per_byte{};
};
// Rounds of "send", "receive" and "switch" after that time of computing over memory, the receives also of long
// messages; and `warm`: the same after none.
ColdFigures fit_cold(const ProbeOutput& probe, const ProbeOutput& warm, Seconds computing);

// Of the timings of one name and length over all rounds, a typical spread in parts of the median.
double typical_spread(std::span<const std::vector<Timing>> rounds);

struct Calibration {
  std::string host;
  std::uint32_t cores = 1;
  std::uint32_t numa_nodes = 1;
  std::uint64_t eager_limit = 16384;
  Figure multiply_add{};  // seconds of a core, while all cores compute
  Figure time_slice{};    // 0: nobody knows
  double speed = 1.0;
  // By nearness; behind these, where there are two hosts alike, that between them.
  std::vector<LinkFigures> links = std::vector<LinkFigures>(kNearnesses);
  CollectiveFigures in_memory{};
  StepFigures steps{};
  std::vector<ColdFigures> cold{};  // by computing
  double links_spread = 0.0;
  [[nodiscard]] Figure switch_cost() const { return links.front().latency; }
  [[nodiscard]] bool has_two_hosts() const { return links.size() > kNearnesses; }
};

// As a platform file, which read_platform() reads.
std::string platform_json(const Calibration& calibration);
// Each figure with its spread, for people.
std::string calibration_table(const Calibration& calibration);

}  // namespace weft::sim
