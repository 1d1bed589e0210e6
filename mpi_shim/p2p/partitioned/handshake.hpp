// How the two sides of a partitioned transfer find each other: MPI_Psend_init sends a message to MPI_Precv_init.
#pragma once

#include <cstdint>

#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace p2p {

// Added to the contexts of partitioned transfers. Handshakes use message contexts, data uses collective contexts.
inline constexpr std::uint32_t kPartitionedContext = std::uint32_t{1} << 31;

// What the receiver must know of the sender's partitions. Partition i is sent with tag first_tag + i.
struct Partitioning {
  std::int32_t partitions = 0;
  std::int32_t first_tag = 0;
  std::uint64_t bytes = 0;  // of each partition, packed

  void pup(pup::Puper& p) { p | partitions | first_tag | bytes; }
};

// One message from MPI_Psend_init to MPI_Precv_init, so that transfers match in the order of those calls. It has a
// request of its own, since it may outlive the transfer's.
class Handshake final : public Operation {
 public:
  Handshake() = default;
  ~Handshake() override;

  // Adds a handshake to the rank's requests, and sends it or posts its receive.
  static MPI_Request send(RankState& me, const PreparedMessage& prepared, MPI_Comm comm, const Partitioning& mine);
  static MPI_Request receive(RankState& me, const PreparedMessage& prepared, MPI_Comm comm);
  // The handshake of a handle that one of these returned.
  static Handshake& from_handle(RankState& me, MPI_Request handle);
  // The transfer does not need it any more: it is freed once its message has been sent or has come. Does nothing to
  // MPI_REQUEST_NULL.
  static void detach(RankState& me, MPI_Request& handle);

  Kind kind() const override { return Kind::handshake; }
  void pup(pup::Puper& p, runtime::Rank& owner) override;
  bool advance(RankState&) override { return request.done; }
  void add_awaited(std::vector<runtime::Request*>& awaited) override;
  void withdraw(RankState& me) override;

  Partitioning partitioning;
  runtime::Request request;
};

}  // namespace p2p
}  // namespace weft::mpi_shim
