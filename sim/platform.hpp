// The machine that a run is simulated on: sites of hosts, their processes and workers, what messages between them cost,
// and who else wants the cores when. platform_file.hpp reads it from a file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/actions.hpp"

namespace weft::sim {

// What a message of n bytes costs between two workers (LogGP: Alexandrov et al. 1995; a byte more than there, n for
// n - 1, so that an empty message needs no rule of its own).
struct LinkCost {
  Seconds overhead = 0.0;       // o: of the worker that sends, and of the one that receives
  Seconds latency = 0.0;        // L
  Seconds gap = 0.0;            // g: a port is taken for g + n G by each message
  Seconds per_byte = 0.0;       // G
  Seconds copy_per_byte = 0.0;  // of a worker that copies: an eager message on both sides, in memory a rendezvous once
};

// What lies between two workers within a host, nearest first; beyond are sites and trunks.
enum class Nearness : std::uint8_t { same_worker, same_numa, same_process, same_host };
inline constexpr std::size_t kNearnesses = 4;

struct WorkerPlace {
  std::uint32_t numa = 0;  // numbers are those of the platform, as the others
  std::uint32_t process = 0;
  std::uint32_t host = 0;
  std::uint32_t site = 0;
  double speed = 1.0;  // work in a second
};

// From a time on the worker gets so large a share of its core, until the next step.
struct ShareStep {
  Seconds from = 0.0;
  double share = 1.0;
  // The worker computes for `share` of it, then it waits for the rest; 0: it has its share at all times.
  Seconds period = 0.0;
  bool others = false;    // want the core, too
  bool is_quota = false;  // periods begin by the clock; else when the worker has had its part of the last one
  friend bool operator==(const ShareStep&, const ShareStep&) = default;
};

// What is left of a core to a worker while others compute on it: `threads` of them, or all they like up to a quota.
struct Intrusion {
  std::uint32_t worker = 0;
  Seconds from = 0.0;
  Seconds until = 0.0;
  std::uint32_t threads = 0;  // a hog: the core is shared evenly
  double quota = 1.0;         // cores that the worker may use
  Seconds period = 0.0;       // the quota is granted anew each period; 0: it holds at all times
};

// In the memory of one process ranks meet; a meeting takes, from its last member's arrival on, step + members * member
// + workers * worker. Members combine vectors at `per_byte`: short ones the last member, after it has come, and each
// member as much as its own vector else, before a second meeting. What is copied costs as between workers of a NUMA
// node.
struct InMemoryCost {
  Seconds step = 0.5e-6;
  Seconds member = 0.05e-6;
  Seconds worker = 0.2e-6;
  Seconds per_byte = 0.1e-9;
};

// What MPI costs more where a worker's ranks have computed for so long, over memory.
struct ColdCost {
  Seconds computing = 0.0;
  Seconds message = 0.0;        // its overhead at each end, by what was computed since the rank's last wait was over
  Seconds switching = 0.0;      // a switch, by what was computed since the last one
  Seconds copy_per_byte = 0.0;  // as for `message`, but no cost beside the link's: copying is no faster than this
};

struct Trunk {
  std::uint32_t from = 0;  // sites
  std::uint32_t to = 0;
  LinkCost cost;
};

// How well the machine is known: parts by which timings differ when they are repeated.
struct Uncertainty {
  double computing = 0.01;
  double links = 0.05;
};

struct Platform {
  std::vector<WorkerPlace> workers;  // by number: sites, their hosts, their processes, their cores in the file's order
  std::vector<std::string> hosts;    // names
  std::vector<std::string> sites;
  std::uint32_t processes = 0;
  std::array<LinkCost, kNearnesses> near{};
  std::vector<LinkCost> within_site;  // between two hosts of the site
  std::vector<Trunk> trunks;          // between sites; both ways
  std::vector<Intrusion> intrusions;
  InMemoryCost in_memory;
  std::vector<ColdCost> cold_caches;  // by `computing`, which rises; empty: computing leaves caches as they are
  std::uint64_t eager_limit = 16384;  // longer messages are announced and fetched
  std::uint64_t flow_limit = 65536;   // from this length on messages are flows, where the network has them
  Seconds switch_cost = 0.1e-6;       // between two ranks of a worker
  Seconds time_slice = 0.0;      // of threads that share a core, by the system; 0: they have it evenly at all times
  Seconds step_cost = 20e-6;     // of a balancing step without moves, from the last rank's arrival on
  bool move_cost_known = false;  // to the decider from the start; else it learns it from step to step
  Seconds move_cost = 3e-6;      // of a rank that moves, on both its workers, beside its bytes
  Uncertainty uncertainty;
  double multiply_adds_per_us = 0.0;  // of a core of speed 1, as weftsim calibrate has measured it; 0: nobody has

  // For a worker, when its share of the core changes; empty: it has the core always.
  [[nodiscard]] std::vector<ShareStep> shares_of(std::uint32_t worker) const;
};

// `hosts` of `cores` cores, a process each, with common costs of memory; `link` is between hosts.
struct UniformPlatform {
  std::uint32_t hosts = 1;
  std::uint32_t processes = 1;  // of each host; they divide its cores
  std::uint32_t cores = 1;
  LinkCost link{.overhead = 1e-6, .latency = 20e-6, .gap = 0.5e-6, .per_byte = 1e-9, .copy_per_byte = 0.1e-9};
};
Platform make_platform(const UniformPlatform& shape);

// Costs of messages in memory as this project has measured them on common machines.
std::array<LinkCost, kNearnesses> usual_memory_links();

}  // namespace weft::sim
