// Which worker each rank of a job starts on: what --map-by, --rank-by, --ppn and --npernode ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace weft::placement {

// The units over which ranks are distributed.
enum class Unit : std::uint8_t { slot, worker, process, node };

struct MappingPolicy {
  // slot: blocks over all workers; one rank for each process where there are as many ranks as processes. Other units
  // get one rank in turn. A full unit (a rank on each worker) gets more only when all are full. The ranks of a unit go
  // in blocks over its workers.
  Unit map = Unit::slot;
  std::optional<Unit> rank;    // the order in which ranks are numbered; else the order of distribution
  std::uint32_t per_unit = 0;  // not 0: each unit of `map` gets exactly so many, one unit after another (ppr, npernode)
  std::uint32_t in_turn = 0;   // not 0: nodes get so many ranks at a time, and are never full (ppn)
  bool may_oversubscribe = true;  // more ranks than workers

  // Whether ranks fill the first slots, so that the other slots are not needed.
  bool fills_slots() const { return map == Unit::slot && per_unit == 0 && in_turn == 0; }
};

// The job's workers, numbered through all processes.
struct JobShape {
  std::vector<std::uint32_t> workers;  // of each process
  std::vector<std::uint32_t> hosts;    // of each process; empty: all on one
};

// Texts of --map-by (slot, core, hwthread, node, process, worker, ppr:N:node|process|worker|core|slot, with modifiers
// oversubscribe and nooversubscribe) and --rank-by (slot, core, hwthread, node, process, worker); an empty text leaves
// what is there. Throws base::OptionError, which says what to use instead.
void read_map_by(std::string_view text, MappingPolicy& policy);
void read_rank_by(std::string_view text, MappingPolicy& policy);

// The number of ranks when each unit gets policy.per_unit. REQUIRES: policy.per_unit is not 0.
std::uint32_t full_ranks(const MappingPolicy& policy, const JobShape& shape);

// The worker of each rank, given its process: a process's ranks fill its workers in blocks. Throws std::out_of_range
// where there is no such process.
std::vector<std::uint32_t> place_in_processes(const std::vector<std::uint32_t>& processes, const JobShape& shape);
// The worker of each rank. Throws base::OptionError where the policy has no place for so many.
std::vector<std::uint32_t> place_ranks(const MappingPolicy& policy, const JobShape& shape, std::uint32_t ranks);

}  // namespace weft::placement
