// What the MPI layer keeps for a process of a job: a part of each module that needs one. Client makes it.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "mpi_shim/state/process_part.hpp"
#include "mpi_shim/state/rank_part.hpp"
#include "runtime/job/job.hpp"

namespace weft::mpi_shim {

// The runtime's client as the modules of the MPI layer see it. Constant after construction, but for what parts hold.
class ProcessState : public runtime::Client {
 public:
  template <typename Part>
  Part& part() const {
    return static_cast<Part&>(*parts_[static_cast<std::size_t>(Part::kProcessPart)]);
  }
  // The parts of a new rank's state.
  RankParts make_rank_parts() const;

 protected:
  // `rank_parts` outlives this.
  ProcessState(const RankPartTable& rank_parts, const ProcessPartTable& process_parts);

 private:
  const RankPartTable& rank_parts_;
  std::array<std::unique_ptr<ProcessPart>, kProcessParts> parts_;
};

// The process's part of a module, of a job whose ranks call MPI.
template <typename Part>
Part& process_part(const runtime::Job& job) {
  return static_cast<ProcessState&>(*job.client()).part<Part>();
}

}  // namespace weft::mpi_shim
