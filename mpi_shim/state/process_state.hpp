// What the MPI layer keeps for a process of a job: a part of each module that needs one. MpiLayer makes it.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "mpi_shim/request/request.hpp"
#include "mpi_shim/state/call_sites.hpp"
#include "mpi_shim/state/process_part.hpp"
#include "mpi_shim/state/rank_part.hpp"
#include "runtime/job/job.hpp"

namespace weft::mpi_shim {
inline namespace state {

// The runtime's UpperLayer as the modules of the MPI layer see it. Constant after construction, except the contents of
// parts.
class ProcessState : public runtime::UpperLayer {
 public:
  template <typename Part>
  Part& part() const {
    return static_cast<Part&>(*parts_[static_cast<std::size_t>(Part::kProcessPart)]);
  }
  // The parts of a new rank's state.
  RankParts make_rank_parts() const;
  // A default-constructed operation of this kind, to unpack a migrated rank's operation into.
  std::unique_ptr<Operation> make_operation(Operation::Kind kind) const;
  // Null if call sites are unknown.
  CallSites* call_sites() const { return call_sites_.get(); }

 protected:
  // `rank_parts` and `operations` outlive this.
  ProcessState(const RankPartTable& rank_parts, const ProcessPartTable& process_parts, const OperationTable& operations,
               std::unique_ptr<CallSites> call_sites);

 private:
  const RankPartTable& rank_parts_;
  const OperationTable& operations_;
  const std::unique_ptr<CallSites> call_sites_;
  std::array<std::unique_ptr<ProcessPart>, kProcessParts> parts_;
};

// REQUIRES: the job's upper layer is the MPI layer.
inline ProcessState& process_state(const runtime::Job& job) { return static_cast<ProcessState&>(*job.upper_layer()); }
// What a module keeps for this process.
template <typename Part>
Part& process_part(const runtime::Job& job) {
  return process_state(job).part<Part>();
}

}  // namespace state
}  // namespace weft::mpi_shim
