// What the living members of a communicator agree on, behind a call or a request.
#pragma once

#include <cstdint>
#include <memory>

#include "mpi_shim/request/request.hpp"
#include "mpi_shim/state/state.hpp"
#include "runtime/failure/failures.hpp"

namespace weft::mpi_shim {
inline namespace failure {

// One member's part: MPIX_Comm_agree, or MPIX_Comm_shrink, which agrees on who is dead and on a context number.
class AgreementOperation final : public Operation {
 public:
  Kind kind() const override { return Kind::agreement; }
  // No rank moves in a job with --survive api.
  const char* pinned() const override { return "it waits for an agreement"; }
  void pup(pup::Puper& /*p*/, runtime::Rank& /*owner*/) override {}
  bool advance(RankState& me) override;
  void add_awaited(std::vector<runtime::Request*>& awaited) override { awaited.push_back(&over); }
  // MPI_SUCCESS or MPIX_ERR_PROC_FAILED.
  int finish(RankState& /*me*/, MPI_Status& /*status*/) override { return error_; }

  // Brings the member's part.
  void begin(RankState& me, Communicator& comm, std::uint32_t flags);

  runtime::Request over;
  int* flag = nullptr;          // MPIX_Comm_agree
  MPI_Comm* newcomm = nullptr;  // MPIX_Comm_shrink

 private:
  int conclude(RankState& me);

  std::shared_ptr<const runtime::Agreement> agreement_;
  std::shared_ptr<const CommShared> shared_;
  std::unique_ptr<Communicator> heir_;  // of a shrink, until it is over
  bool concluded_ = false;
  int error_ = MPI_SUCCESS;
};

}  // namespace failure
}  // namespace weft::mpi_shim
