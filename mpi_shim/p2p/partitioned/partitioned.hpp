// Partitioned transfers: each of the sender's partitions is a message of its own, which MPI_Pready sends. The receiver
// may have other partitions: it receives each message where its bytes belong.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi_shim/p2p/partitioned/handshake.hpp"
#include "mpi_shim/p2p/point_to_point.hpp"

namespace weft::mpi_shim {
inline namespace p2p {

// The program's buffer, as MPI_Psend_init or MPI_Precv_init describes it.
struct PartitionedBuffer {
  std::byte* base = nullptr;
  std::int32_t partitions = 0;
  std::uint64_t count = 0;  // elements of a partition
  std::uint64_t element_bytes = 0;
  std::int64_t extent = 0;
  std::shared_ptr<const Datatype> type;  // null if elements are contiguous

  std::uint64_t bytes() const { return count * element_bytes; }  // of a partition, packed
  std::uint64_t all_bytes() const { return bytes() * static_cast<std::uint64_t>(partitions); }
  // Elements [first, first + n) of the whole buffer; if elements are contiguous, `first` and `n` are bytes.
  runtime::Buffer part(std::uint64_t first, std::uint64_t n) const;
  void pup(pup::Puper& p);
};

// What sends and receives of partitions have in common. `prepared_` has the peer and the key of the handshake. Touched
// in calls of its rank only.
class PartitionedTransfer : public Operation {
 public:
  PartitionedTransfer() = default;
  PartitionedTransfer(runtime::Rank& owner, const PartitionedBuffer& buffer, const PreparedMessage& prepared)
      : buffer_(buffer), prepared_(prepared), owner_(&owner) {}
  ~PartitionedTransfer() override;

  void pup(pup::Puper& p, runtime::Rank& owner) override;
  const char* pinned() const override;

  std::int32_t partitions() const { return buffer_.partitions; }

 protected:
  bool has_peer() const { return prepared_.peer != MPI_PROC_NULL; }
  RankState& me() const { return *static_cast<RankState*>(owner_->upper_state); }
  // All messages are done. REQUIRES: all have been started.
  bool all_done();

  PartitionedBuffer buffer_;
  PreparedMessage prepared_;
  MPI_Request handshake_ = MPI_REQUEST_NULL;
  std::vector<runtime::Request> messages_;  // by the sender's partitions; resized once, as requests must stay in place
  std::uint64_t first_open_ = 0;            // messages before it are done
  runtime::Rank* owner_ = nullptr;
};

class PartitionedSend final : public PartitionedTransfer {
 public:
  using PartitionedTransfer::PartitionedTransfer;

  void start_handshake(MPI_Comm comm);
  // MPI_Pready. REQUIRES: the partition exists. False: it has been made ready before since MPI_Start.
  bool ready(RankState& me, std::int32_t partition);

  Kind kind() const override { return Kind::partitioned_send; }
  void pup(pup::Puper& p, runtime::Rank& owner) override;
  int start(RankState& me) override;
  bool advance(RankState& me) override;
  void add_awaited(std::vector<runtime::Request*>& awaited) override;

 private:
  std::int32_t first_tag_ = 0;
  std::vector<std::uint8_t> ready_;  // by partition: 1 once it is ready
  std::int32_t not_ready_ = 0;       // partitions that are not ready
  runtime::Request never_done_;      // what the rank waits for while some partitions have not been made ready
};

class PartitionedReceive final : public PartitionedTransfer {
 public:
  using PartitionedTransfer::PartitionedTransfer;

  void start_handshake(MPI_Comm comm);
  // MPI_Parrived of an active transfer. REQUIRES: the partition exists.
  bool arrived(RankState& me, std::int32_t partition);

  Kind kind() const override { return Kind::partitioned_receive; }
  void pup(pup::Puper& p, runtime::Rank& owner) override;
  const char* pinned() const override;
  int start(RankState& me) override;
  bool advance(RankState& me) override;
  void add_awaited(std::vector<runtime::Request*>& awaited) override;
  int finish(RankState& me, MPI_Status& status) override;

 private:
  bool post(RankState& me);
  runtime::Buffer place_of(std::uint64_t sent_partition);
  bool has_arrived(std::uint64_t first, std::uint64_t bytes) const;
  void unpack_staged(std::uint64_t first, std::uint64_t bytes) const;

  Partitioning theirs_;
  bool posted_ = false;  // the receives of the current start are posted
  // All bytes in packed order, if the sender's partitions end within elements with gaps; else empty.
  std::vector<std::byte> staging_;
};

}  // namespace p2p
}  // namespace weft::mpi_shim
