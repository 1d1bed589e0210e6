// Messages that a matched probe (MPI_Mprobe) has matched and no receive has taken yet.
#pragma once

#include "mpi.h"
#include "mpi_shim/state/handles.hpp"
#include "mpi_shim/state/rank_part.hpp"
#include "runtime/control/rank.hpp"
#include "runtime/p2p/packing.hpp"
#include "runtime/p2p/point_to_point.hpp"

namespace weft::mpi_shim {
inline namespace p2p {

// What an MPI_Message handle refers to, until MPI_Mrecv or MPI_Imrecv receives it.
struct MessageHandle {
  runtime::Envelope* message = nullptr;
  MPI_Comm comm = MPI_COMM_NULL;
  runtime::Failure failure{};  // without a message: why it cannot be received any more

  // Drops the message. REQUIRES: there is one.
  void give_up(runtime::Worker& here, runtime::Failure why);
  // Without `failure`: no rank moves in a job with --survive api.
  void pup(pup::Puper& p, runtime::Rank& owner) {
    runtime::pup_message(p, owner, message);
    pup::same_address(p, comm);
  }
};

// The matched messages of one rank.
struct MatchedMessages final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::matched_messages;
  HandleTable<MessageHandle, HandleKind::message> table;

  void pup(pup::Puper& p, RankState& me) override;
  void add_leaks(const Creations& creations, std::vector<Leak>& leaks) const override;
};

// Implements the function of the same name of runtime::UpperLayer.
void give_up_matched(RankState& me, runtime::Worker& here, std::uint32_t notices);

}  // namespace p2p
}  // namespace weft::mpi_shim
