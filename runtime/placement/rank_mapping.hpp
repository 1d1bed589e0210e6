// Which worker each rank of a job starts on: what --map-by, --rank-by, --ppn and --npernode ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace weft::placement {

// What ranks are dealt to.
enum class Unit : std::uint8_t { slot, worker, process, node };

struct MappingPolicy {
  // slot: in blocks over all workers, and a rank for each process where there are as many. Else each in turn gets a
  // rank, a full one (a rank on each worker) only when all are full; the ranks of a unit go in blocks over its workers.
  Unit map = Unit::slot;
  std::optional<Unit> rank;    // in which order ranks are numbered; else as they are dealt
  std::uint32_t per_unit = 0;  // not 0: each unit of `map` gets so many, one after another, and no more (ppr, npernode)
  std::uint32_t in_turn = 0;   // not 0: nodes get so many ranks at a time, and are never full (ppn)
  bool may_oversubscribe = true;  // more ranks than workers

  // Whether ranks fill the first slots, so that later ones are not needed.
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

// How many ranks policy.per_unit of each unit are. REQUIRES: it is not 0.
std::uint32_t full_ranks(const MappingPolicy& policy, const JobShape& shape);

// The worker of each rank, whose process is given: a process's ranks fill its workers in blocks. Throws
// std::out_of_range where there is no such process.
std::vector<std::uint32_t> place_in_processes(const std::vector<std::uint32_t>& processes, const JobShape& shape);
// The worker of each rank. Throws base::OptionError where the policy has no place for so many.
std::vector<std::uint32_t> place_ranks(const MappingPolicy& policy, const JobShape& shape, std::uint32_t ranks);

}  // namespace weft::placement
