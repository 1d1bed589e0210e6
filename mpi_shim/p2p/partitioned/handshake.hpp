// How the two sides of a partitioned transfer find each other: the sender's initialization tells the receiver's.
// receiver.
#pragma once

#include <cstdint>

#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace p2p {

// Contexts of partitioned transfers lie above those of messages: handshakes go by message contexts, data by collective
// ones.
inline constexpr std::uint32_t kPartitionedContext = std::uint32_t{1} << 31;

// What the receiver must know of the sender's partitions; partition i is sent with tag first_tag + i.
struct Partitioning {
  std::int32_t partitions = 0;
  std::int32_t first_tag = 0;
  std::uint64_t bytes = 0;  // of each partition, packed

  void pup(pup::Puper& p) { p | partitions | first_tag | bytes; }
};

// One message, sent by MPI_Psend_init and received by MPI_Precv_init, so that they match in the order of those calls.
// It has a request of its own, for it may outlive the transfer's.
class Handshake final : public Operation {
 public:
  Handshake() = default;
  ~Handshake() override;

  // Puts a handshake into the rank's requests and sends it, or posts its receive.
  static MPI_Request send(RankState& me, const Starter& starter, MPI_Comm comm, const Partitioning& mine);
  static MPI_Request expect(RankState& me, const Starter& starter, MPI_Comm comm);
  // The handshake behind a handle that one of these gave.
  static Handshake& behind(RankState& me, MPI_Request handle);
  // Nobody looks at it any more: it ends once the message is sent or has come. Does nothing to MPI_REQUEST_NULL.
  static void leave(RankState& me, MPI_Request& handle);

  Kind kind() const override { return Kind::handshake; }
  void pup(pup::Puper& p, runtime::Rank& owner) override;
  bool advance(RankState&) override { return request.done; }
  void add_awaited(std::vector<runtime::Request*>& awaited) override;
  void withdraw(RankState& me) override;

  Partitioning said;
  runtime::Request request;
};

}  // namespace p2p
}  // namespace weft::mpi_shim
