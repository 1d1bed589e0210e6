// The part of a window that its members in one process share, and the registry where they find it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "mpi.h"
#include "mpi_shim/group/group.hpp"
#include "mpi_shim/state/process_part.hpp"
#include "pup/pup.hpp"

namespace weft::mpi_shim::rma {

class Exposure;  // exposure.hpp

// A member's memory, as all processes know it. `base` is an address in the process where the member lives.
struct WindowMemory {
  std::uintptr_t base = 0;
  MPI_Aint size = 0;
  int disp_unit = 1;
  void pup(pup::Puper& p) { p | base | size | disp_unit; }
};

// One per window and process.
struct WindowShared {
  WindowShared(std::uint32_t number, std::shared_ptr<const Group> members, std::vector<WindowMemory> their_memories);
  Exposure* local_exposure(int member) const {
    // Pairs with the stores in finish_creation() and pup_window(): the exposure is completely constructed.
    return exposures[static_cast<std::size_t>(member)].load(std::memory_order_acquire);
  }
  const WindowMemory& memory_of(int member) const { return memories[static_cast<std::size_t>(member)]; }

  const std::uint32_t id;  // the context of the window's own communicator
  const std::shared_ptr<const Group> group;
  const std::vector<WindowMemory> memories;  // by member
  // By member; null for members in other processes. Written when a member creates or frees the window, and in balancing
  // steps, while all ranks are suspended.
  const std::unique_ptr<std::atomic<Exposure*>[]> exposures;
};

// The windows of this process by id. Thread-safe. Does not keep windows alive.
class WindowRegistry final : public ProcessPart {
 public:
  static constexpr ProcessPartId kProcessPart = ProcessPartId::windows;
  std::shared_ptr<WindowShared> find(std::uint32_t id);
  std::shared_ptr<WindowShared> find_or_make(std::uint32_t id, std::shared_ptr<const Group> group,
                                             std::vector<WindowMemory> memories);

 private:
  std::mutex mutex_;  // guards windows_
  std::map<std::uint32_t, std::weak_ptr<WindowShared>> windows_;
};

}  // namespace weft::mpi_shim::rma
