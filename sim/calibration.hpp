// Computes the parameters of a platform from timings that probes took on a machine. docs/simulation.md says how each
// parameter is measured; weftsim calibrate runs the probes (tools/weftsim/probe.c).
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

// The output of one probe. A round has each timing once.
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
// Throws ProbeError if the text is not the output of a probe.
ProbeOutput parse_probe(std::string_view text);

// The median of the values of all rounds, and half of their interquartile range.
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
  double misfit = 0.0;  // relative error of the fit in a typical round
};

// How messages of a link travel. Each row gives what half a round trip of n bytes takes in the simulator's model; a
// message up to the eager limit is short:
enum class LinkKind : std::uint8_t {
  same_worker,        // short: 2 o + switch + 2 n copy; long: 2 o + switch + n copy
  in_memory,          // short: 2 o + L + n G + 2 n copy; long: 2 o + 3 L + n G + n copy
  between_processes,  // short: the same; long: 2 o + 3 L + n G
  between_hosts,      // short: 2 o + L + n G + n copy; long: 2 o + 3 L + n G, if copy <= G
};
// The fit also uses what a send and a receive take of their workers. Within a host these are the times of a send alone
// and of a receive of a message that has arrived: each takes o + n copy. Between hosts the kernel does much of the work
// at other times: by how much another rank of the worker computes longer beside a stream of messages. Both ends of a
// short message together take 2 o + 2 n copy; of a long one 3 o + 2 n copy, since the sender also handles the
// receiver's request. G between hosts is what a byte takes in each direction while long messages travel in both
// ("exchange"), and L is what is left of half round trips of up to 1 KiB. g is the time for each message in a flood of
// empty messages. Between two ranks of one worker `latency` is the time of a switch, measured while the ranks yield to
// each other. Throws ProbeError if a timing is missing.
LinkFigures fit_link(std::span<const std::vector<Timing>> rounds, LinkKind kind, std::uint64_t eager_limit);

struct CollectiveFigures {
  Figure step{};
  Figure member{};
  Figure worker{};
  Figure per_byte{};
  double misfit = 0.0;
};
// REQUIRES: probes with the same number of rounds; they should differ in ranks and workers. Where ranks share a worker,
// a call also takes a switch for each of them.
CollectiveFigures fit_collectives(std::span<const ProbeOutput> probes, Seconds switch_cost);

struct StepFigures {
  Figure step{};
  Figure move{};
};
// Uses the timings "step" (a balancing step without moves) and "moves" (each rank moves to another worker).
StepFigures fit_steps(const ProbeOutput& probe, Seconds switch_cost);

// Costs after one duration of computing between calls.
struct ColdFigures {
  Seconds computing = 0.0;
  Figure message{};
  Figure switching{};
  Figure copy_per_byte{};
};
// Uses the timings "send", "receive" and "switch", taken after that time of computing over memory; receives also of
// long messages. `warm`: the same timings without computing.
ColdFigures fit_cold(const ProbeOutput& probe, const ProbeOutput& warm, Seconds computing);

// The spread over all rounds of timings with the same name and length, relative to their median; the median of these.
double typical_spread(std::span<const std::vector<Timing>> rounds);

struct Calibration {
  std::string host;
  std::uint32_t cores = 1;
  std::uint32_t numa_nodes = 1;
  std::uint64_t eager_limit = 16384;
  Figure multiply_add{};  // seconds of a core, while all cores compute
  Figure time_slice{};    // 0: not known
  double speed = 1.0;
  // By lb::Distance; then, if two equal hosts were measured, the link between them.
  std::vector<LinkFigures> links = std::vector<LinkFigures>(lb::kDistancesWithinHost);
  CollectiveFigures in_memory{};
  StepFigures steps{};
  std::vector<ColdFigures> cold{};  // by computing
  double links_spread = 0.0;
  [[nodiscard]] Figure switch_cost() const { return links.front().latency; }
  [[nodiscard]] bool has_two_hosts() const { return links.size() > lb::kDistancesWithinHost; }
};

// A platform file for read_platform().
std::string platform_json(const Calibration& calibration);
// Each figure with its spread, as text for users.
std::string calibration_table(const Calibration& calibration);

}  // namespace weft::sim
