#include "runtime/topology/cores.hpp"

#include <algorithm>
#include <memory>

#include <hwloc.h>

#include "base/check.hpp"

namespace weft::runtime {
namespace {

struct Topology {
  Topology() {
    const bool loaded = hwloc_topology_init(&handle) == 0 && hwloc_topology_load(handle) == 0;
    base::check(loaded, "hwloc cannot read this machine's topology");
  }
  ~Topology() { hwloc_topology_destroy(handle); }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;
  hwloc_topology_t handle = nullptr;
};

Topology& topology() {
  static Topology machine;
  return machine;
}

}  // namespace

std::vector<std::uint32_t> allowed_cores() {
  const hwloc_topology_t machine = topology().handle;
  const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> mine(hwloc_bitmap_alloc(), &hwloc_bitmap_free);
  if (hwloc_get_cpubind(machine, mine.get(), HWLOC_CPUBIND_PROCESS) != 0) {
    hwloc_bitmap_copy(mine.get(), hwloc_topology_get_allowed_cpuset(machine));
  }
  struct Place {
    unsigned sibling;  // 0 for a core's first hardware thread
    std::uint32_t core;
  };
  std::vector<Place> places;
  const int count = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_PU);
  for (int i = 0; i < count; ++i) {
    const hwloc_obj_t unit = hwloc_get_obj_by_type(machine, HWLOC_OBJ_PU, static_cast<unsigned>(i));
    if (hwloc_bitmap_isset(mine.get(), unit->os_index) != 0) {
      places.push_back({unit->sibling_rank, unit->os_index});
    }
  }
  std::stable_sort(places.begin(), places.end(), [](Place a, Place b) { return a.sibling < b.sibling; });
  std::vector<std::uint32_t> cores;
  cores.reserve(places.size());
  for (const Place& place : places) {
    cores.push_back(place.core);
  }
  return cores;
}

bool bind_this_thread(std::uint32_t core) {
  const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> set(hwloc_bitmap_alloc(), &hwloc_bitmap_free);
  hwloc_bitmap_only(set.get(), core);
  return hwloc_set_cpubind(topology().handle, set.get(), HWLOC_CPUBIND_THREAD) == 0;
}

}  // namespace weft::runtime
