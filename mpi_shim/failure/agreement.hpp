// The agreement of a communicator's surviving members, as a blocking call or as a request.
#pragma once

#include <cstdint>
#include <memory>

#include "mpi_shim/request/request.hpp"
#include "mpi_shim/state/state.hpp"
#include "runtime/failure/failures.hpp"

namespace weft::mpi_shim {
inline namespace failure {

// One member's contribution to MPIX_Comm_agree or to MPIX_Comm_shrink, which agrees on the dead members and on a
// context.
class AgreementOperation final : public Operation {
 public:
  Kind kind() const override { return Kind::agreement; }
  // No rank moves in a job with --survive api.
  const char* pinned() const override { return "it waits for an agreement"; }
  void pup(pup::Puper& /*p*/, runtime::Rank& /*owner*/) override {}
  bool advance(RankState& me) override;
  void add_awaited(std::vector<runtime::Request*>& awaited) override { awaited.push_back(&completion); }
  // MPI_SUCCESS or MPIX_ERR_PROC_FAILED.
  int finish(RankState& /*me*/, MPI_Status& /*status*/) override { return error_; }

  // Contributes the member's part and starts the agreement.
  void begin(RankState& me, Communicator& comm, std::uint32_t flags);

  runtime::Request completion;
  int* flag = nullptr;          // MPIX_Comm_agree
  MPI_Comm* newcomm = nullptr;  // MPIX_Comm_shrink

 private:
  int conclude(RankState& me);

  std::shared_ptr<const runtime::Agreement> agreement_;
  std::shared_ptr<const CommShared> shared_;
  std::unique_ptr<Communicator> new_comm_;  // of MPIX_Comm_shrink, until the agreement is complete
  bool concluded_ = false;
  int error_ = MPI_SUCCESS;
};

}  // namespace failure
}  // namespace weft::mpi_shim
