// The machine of a simulated run: sites of hosts with processes and workers, the cost of messages between them, and
// other load on the cores. platform_file.hpp reads it from a file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lb/distance.hpp"
#include "sim/actions.hpp"

namespace weft::sim {

// The cost of a message of n bytes between two workers: LogGP (Alexandrov et al. 1995), but with n instead of n - 1, so
// that an empty message is no special case.
struct LinkCost {
  Seconds overhead = 0.0;  // o: at the sending worker, and again at the receiving one
  Seconds latency = 0.0;   // L
  Seconds gap = 0.0;       // g: each message occupies a port for g + n G
  Seconds per_byte = 0.0;  // G
  // Eager: copied at both ends. Rendezvous: once within a process, not at all between processes of a host, at both ends
  // between hosts.
  Seconds copy_per_byte = 0.0;
};

struct WorkerPlace {
  std::uint32_t numa = 0;  // numbered through the platform, as the others
  std::uint32_t process = 0;
  std::uint32_t host = 0;
  std::uint32_t site = 0;
  double speed = 1.0;  // work in a second
};

// From a time on, until the next step, the worker gets this share of its core.
struct ShareStep {
  Seconds from = 0.0;
  double share = 1.0;
  // The worker computes for `share` of a period, then waits for the rest of it; 0: the share is spread evenly.
  Seconds period = 0.0;
  bool others = false;    // other threads want the core
  bool is_quota = false;  // periods follow the clock; else one begins when the others have had their slices
  friend bool operator==(const ShareStep&, const ShareStep&) = default;
};

// Other load on a worker's core for some time: `threads` that compute, or a quota that limits the worker.
struct Interference {
  std::uint32_t worker = 0;
  Seconds from = 0.0;
  Seconds until = 0.0;
  std::uint32_t threads = 0;  // that share the core evenly with the worker
  double quota = 1.0;         // part of the core that the worker may use
  Seconds period = 0.0;       // of the quota; 0: it holds at all times
};

// The cost of a collective call in the memory of one process. From the last member's arrival a barrier takes step +
// members * member + workers * worker. Combining vectors costs `per_byte`. The last member to arrive combines short
// vectors; otherwise each member combines as much as its own vector, and a second barrier follows. Copying costs as
// between workers of one NUMA node.
struct InMemoryCost {
  Seconds step = 0.5e-6;
  Seconds member = 0.05e-6;
  Seconds worker = 0.2e-6;
  Seconds per_byte = 0.1e-9;
};

// Extra costs of MPI after a worker's ranks have computed for this long over memory.
struct ColdCost {
  Seconds computing = 0.0;
  Seconds message = 0.0;        // at each end; computing counts since the end of the rank's last wait
  Seconds switching = 0.0;      // of a switch; computing counts since the last switch
  Seconds copy_per_byte = 0.0;  // counted as for `message`; not added to the link's but a lower limit of it
};

struct Trunk {
  std::uint32_t from = 0;  // sites
  std::uint32_t to = 0;
  LinkCost cost;
};

// How well the machine is known: relative spreads of repeated timings.
struct Uncertainty {
  double computing = 0.01;
  double links = 0.05;
};

struct Platform {
  std::vector<WorkerPlace> workers;  // by number: sites, their hosts, their processes, their cores in the file's order
  std::vector<std::string> hosts;    // names
  std::vector<std::string> sites;
  std::uint32_t processes = 0;
  // By lb::Distance. Links between hosts belong to sites and trunks.
  std::array<LinkCost, lb::kDistancesWithinHost> near{};
  std::vector<LinkCost> within_site;  // between two hosts of the site
  std::vector<Trunk> trunks;          // between sites, for both directions
  std::vector<Interference> interferences;
  InMemoryCost in_memory;
  std::vector<ColdCost> cold_caches;  // by rising `computing`; empty: computing does not affect caches
  std::uint64_t eager_limit = 16384;  // longer messages use the rendezvous protocol
  std::uint64_t flow_limit = 65536;   // messages from this length on are flows, in the network model `flows`
  Seconds switch_cost = 0.1e-6;       // between two ranks of a worker
  Seconds time_slice = 0.0;           // of threads that share a core; 0: they share it evenly at all times
  Seconds step_cost = 20e-6;          // of a balancing step without moves, from the last rank's arrival on
  bool move_cost_known = false;       // the decider knows it from the start; else it learns it from step to step
  Seconds move_cost = 3e-6;           // of a moving rank, on both its workers, without the transfer of its bytes
  Uncertainty uncertainty;
  double multiply_adds_per_us = 0.0;  // of a core of speed 1, measured by weftsim calibrate; 0: not measured

  // The changes of a worker's share of its core; empty: the worker always has all of it.
  [[nodiscard]] std::vector<ShareStep> shares_of(std::uint32_t worker) const;
};

// Equal hosts of `cores` cores with the default memory links; `link` is between hosts.
struct UniformPlatform {
  std::uint32_t hosts = 1;
  std::uint32_t processes = 1;  // of each host; its cores are divided among them
  std::uint32_t cores = 1;
  LinkCost link{.overhead = 1e-6, .latency = 20e-6, .gap = 0.5e-6, .per_byte = 1e-9, .copy_per_byte = 0.1e-9};
};
Platform make_platform(const UniformPlatform& shape);

// Costs of messages in memory, as this project measured them on common machines.
std::array<LinkCost, lb::kDistancesWithinHost> default_memory_links();

}  // namespace weft::sim
