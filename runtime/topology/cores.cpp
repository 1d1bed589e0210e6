#include "runtime/topology/cores.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include <hwloc.h>

namespace weft::runtime {
inline namespace topology {
namespace {

struct Topology {
  Topology() {
    if (hwloc_topology_init(&handle) != 0 || hwloc_topology_load(handle) != 0) {
      throw std::runtime_error(std::string("hwloc cannot read this machine's topology: ") + std::strerror(errno));
    }
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

using Bitmap = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;

// A hardware thread.
struct HardwareThread {
  unsigned sibling;    // its place among the threads of its core; 0 for the first
  std::uint32_t core;  // the number of this hardware thread, not of its core, as the system counts
  unsigned physical;   // the core that it belongs to, in the machine's order
};

// The hardware threads that the calling thread may use, neighbours together.
std::vector<HardwareThread> allowed_threads() {
  const hwloc_topology_t machine = topology().handle;
  const Bitmap mine(hwloc_bitmap_alloc(), &hwloc_bitmap_free);
  // Not the process's binding: that includes threads that are not bound to this process's part of the cores.
  if (hwloc_get_cpubind(machine, mine.get(), HWLOC_CPUBIND_THREAD) != 0) {
    hwloc_bitmap_copy(mine.get(), hwloc_topology_get_allowed_cpuset(machine));
  }
  std::vector<HardwareThread> places;
  const int count = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_PU);
  for (int i = 0; i < count; ++i) {
    const hwloc_obj_t unit = hwloc_get_obj_by_type(machine, HWLOC_OBJ_PU, static_cast<unsigned>(i));
    if (hwloc_bitmap_isset(mine.get(), unit->os_index) != 0) {
      const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_CORE, unit);
      places.push_back(
          {unit->sibling_rank, unit->os_index, core == nullptr ? unit->logical_index : core->logical_index});
    }
  }
  return places;
}

std::vector<std::uint32_t> cores_first(std::vector<HardwareThread> places) {
  std::stable_sort(places.begin(), places.end(),
                   [](HardwareThread a, HardwareThread b) { return a.sibling < b.sibling; });
  std::vector<std::uint32_t> cores;
  cores.reserve(places.size());
  for (const HardwareThread& place : places) {
    cores.push_back(place.core);
  }
  return cores;
}

}  // namespace

std::vector<std::uint32_t> allowed_cores() { return cores_first(allowed_threads()); }

std::vector<std::uint32_t> first_threads() {
  std::vector<std::uint32_t> first;
  std::optional<unsigned> last;
  for (const HardwareThread& place : allowed_threads()) {
    if (place.physical != last) {
      first.push_back(place.core);
    }
    last = place.physical;
  }
  return first;
}

std::vector<std::uint32_t> allowed_threads_near(std::uint32_t thread, Neighbourhood of) {
  const hwloc_obj_t unit = hwloc_get_pu_obj_by_os_index(topology().handle, thread);
  const hwloc_obj_type_t type = of == Neighbourhood::core ? HWLOC_OBJ_CORE : HWLOC_OBJ_PACKAGE;
  const hwloc_obj_t around = unit == nullptr ? nullptr : hwloc_get_ancestor_obj_by_type(topology().handle, type, unit);
  std::vector<std::uint32_t> near;
  for (const HardwareThread& place : allowed_threads()) {
    const bool is_near =
        of == Neighbourhood::numa
            ? numa_of(place.core) == numa_of(thread)
            : place.core == thread || (around != nullptr && hwloc_bitmap_isset(around->cpuset, place.core) != 0);
    if (is_near) {
      near.push_back(place.core);
    }
  }
  std::ranges::sort(near);
  return near;
}

std::optional<std::uint32_t> bind_worker_to(const std::vector<std::uint32_t>& threads) {
  if (threads.size() == 1) {
    return bind_this_thread(threads.front()) ? std::optional(threads.front()) : std::nullopt;
  }
  bind_this_thread_to(threads);
  return std::nullopt;
}

ProcessCores process_cores(std::uint32_t index, std::uint32_t parts) {
  const auto places = allowed_threads();
  std::vector<std::size_t> group;  // by place: counts cores, or hardware threads where there are too few cores
  std::size_t groups = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    groups += i == 0 || places[i].physical != places[i - 1].physical ? 1 : 0;
    group.push_back(groups - 1);
  }
  if (groups < parts) {
    groups = places.size();
    std::iota(group.begin(), group.end(), std::size_t{0});
  }
  if (groups < parts) {
    return {{places[index % groups].core}, false};
  }
  std::vector<HardwareThread> mine;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (group[i] >= groups * index / parts && group[i] < groups * (index + 1) / parts) {
      mine.push_back(places[i]);
    }
  }
  return {cores_first(std::move(mine)), true};
}

void bind_this_thread_to(const std::vector<std::uint32_t>& cores) {
  const Bitmap set(hwloc_bitmap_alloc(), &hwloc_bitmap_free);
  for (const auto core : cores) {
    hwloc_bitmap_set(set.get(), core);
  }
  hwloc_set_cpubind(topology().handle, set.get(), HWLOC_CPUBIND_THREAD);
}

std::uint32_t numa_of(std::uint32_t core) {
  const hwloc_obj_t unit = hwloc_get_pu_obj_by_os_index(topology().handle, core);
  if (unit == nullptr || unit->nodeset == nullptr) {
    return 0;
  }
  const int node = hwloc_bitmap_first(unit->nodeset);
  return node < 0 ? 0 : static_cast<std::uint32_t>(node);
}

bool bind_this_thread(std::uint32_t core) {
  const Bitmap set(hwloc_bitmap_alloc(), &hwloc_bitmap_free);
  hwloc_bitmap_only(set.get(), core);
  return hwloc_set_cpubind(topology().handle, set.get(), HWLOC_CPUBIND_THREAD) == 0;
}

}  // namespace topology
}  // namespace weft::runtime
