// What an MPI_Request refers to, and the table of a rank's requests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mpi.h"
#include "mpi_shim/datatype/datatype.hpp"
#include "mpi_shim/state/handles.hpp"
#include "runtime/p2p/point_to_point.hpp"

namespace weft::runtime {
inline namespace control {
class Rank;
}  // namespace control
}  // namespace weft::runtime

namespace weft::mpi_shim {
inline namespace state {
struct RankState;
}  // namespace state

inline namespace request {

// A request that is more than one message: non-blocking collectives, generalized requests, MPI_Isendrecv. Owned by its
// PendingRequest, and touched only on its rank's fibre.
class Operation {
 public:
  // Identifies the class in migration images.
  enum class Kind : std::uint8_t {
    generalized,
    exchange,
    handshake,
    partitioned_send,
    partitioned_receive,
    flush,
    collective,
    deferred,
    duplication,
    agreement
  };
  static constexpr std::size_t kKinds = static_cast<std::size_t>(Kind::agreement) + 1;

  virtual ~Operation() = default;
  virtual Kind kind() const = 0;
  // For a move to another process; `owner` is its rank there. After packing, the destructor of the old object must have
  // no effect on the program.
  virtual void pup(pup::Puper& p, runtime::Rank& owner) = 0;
  // Why it cannot be packed now, or null.
  virtual const char* pinned() const { return nullptr; }
  // Does what can be done without suspending. Returns true once complete, and is not called again until the next
  // start(). Called in MPI_Wait and MPI_Test, and while the rank blocks in any other MPI call.
  virtual bool advance(RankState& me) = 0;
  // Appends requests of the runtime of which at least one must complete before advance() can do more. If an operation
  // appends nothing, advance() is called after every yield.
  virtual void add_awaited(std::vector<runtime::Request*>& awaited) = 0;
  // Appends all requests of the runtime that are not done. The rank's end cancels the receives among them; while a send
  // is not done, the request stays in memory (quiesce_requests()).
  virtual void add_open(std::vector<runtime::Request*>& open) { add_awaited(open); }
  // MPI_Start of a persistent operation; an MPI error code.
  virtual int start(RankState&) { return MPI_ERR_REQUEST; }
  // Called once complete, each time the program asks for the status, which is the empty one at first. Returns the
  // operation's MPI error code.
  virtual int finish(RankState&, MPI_Status&) { return MPI_SUCCESS; }
  // Called once the program has completed the request, in a call of the rank. Runs the free function of a generalized
  // request and returns its MPI error code.
  virtual int free(RankState&) { return MPI_SUCCESS; }
  // Called by MPI_Finalize if the program has freed the request: cancels receives, whose messages may never come.
  virtual void withdraw(RankState&) {}
  // The call that began it, for reports; null if reports leave it out.
  virtual const char* call() const { return nullptr; }
  // A collective call: until it is complete MPI_Request_free is refused, and a balancing step waits for it.
  virtual bool collective() const { return false; }
  // MPI_Cancel; `complete` is what advance() last returned. An MPI error code.
  virtual int cancel(RankState&, bool /*complete*/) { return MPI_ERR_REQUEST; }
};

// The checked arguments of a send or a receive, from which it can be started; persistent requests keep them.
struct PreparedMessage {
  runtime::Rank* to = nullptr;  // send: null for MPI_PROC_NULL
  runtime::Buffer buffer;
  runtime::MatchKey key;
  std::int32_t peer = MPI_PROC_NULL;
  runtime::SendMode mode = runtime::SendMode::standard;
  bool receives = false;
  bool buffered = false;  // MPI_Bsend_init

  void pup(pup::Puper& p, runtime::Rank& owner);
};

// What one MPI_Request refers to: a message or an operation. Its address is stable until it is released.
struct PendingRequest {
  runtime::Request message;                   // the send or receive, unless there is an operation
  std::unique_ptr<Operation> operation;       // instead of a message
  std::unique_ptr<PreparedMessage> prepared;  // persistent sends and receives
  std::shared_ptr<const Datatype> type;       // keeps message.buffer.layout alive
  MPI_Request handle = MPI_REQUEST_NULL;
  MPI_Comm comm = MPI_COMM_NULL;  // its error handler gets the request's errors
  bool persistent = false;
  bool active = false;     // started, and not yet completed by the program; always true unless persistent
  bool finished = false;   // an operation's: advance() has returned true
  bool abandoned = false;  // MPI_Request_free before completion: released once complete
  PendingRequest* next_free = nullptr;

  bool done() const { return operation ? finished : message.done; }
  void pup(pup::Puper& p, runtime::Rank& owner);  // all but the handle, which the table has
  const char* pinned() const;
};

// The requests of one rank, in a slab, so that neither MPI_Isend nor MPI_Irecv allocates memory. Owned by the rank; its
// threads take turns under the worker lock.
class RequestTable {
 public:
  RequestTable();
  ~RequestTable();
  RequestTable(const RequestTable&) = delete;
  RequestTable& operator=(const RequestTable&) = delete;

  // An active request without an operation and a communicator. Except for `done` and `failure`, the fields of `message`
  // still have the values of the slot's last use: who does not add an operation resets it (runtime::Request::reset()).
  PendingRequest& acquire() {
    if (free_ == nullptr) [[unlikely]] {
      refill();
    }
    PendingRequest& request = *free_;
    free_ = request.next_free;
    ++live_;
    request.active = true;
    if (creations_are_recorded.load(std::memory_order_relaxed)) [[unlikely]] {  // set by MpiLayer::begin()
      record_creation(handle_value(request.handle));
    }
    return request;
  }

  // Null if the handle is not live.
  PendingRequest* find(MPI_Request handle) const {
    const std::uintptr_t value = handle_value(handle);
    const std::uintptr_t index = value & kIndexMask;
    if ((value >> kKindShift) != static_cast<std::uintptr_t>(HandleKind::request) || index >= count_) [[unlikely]] {
      return nullptr;
    }
    PendingRequest& request = chunks_[index / kChunk][index % kChunk];
    return request.active || request.persistent ? &request : nullptr;
  }

  // The request's handle is stale afterwards. Does nothing to completed_send().
  void release(PendingRequest& request) {
    if (&request != chunks_.front().get()) [[likely]] {
      reset(request);
    }
  }

  // One request for all sends that were complete when they were started; it is never released.
  PendingRequest& completed_send() { return chunks_.front()[0]; }

  // All handles stay valid.
  void pup(pup::Puper& p, runtime::Rank& owner);

  std::size_t live() const { return live_; }
  template <typename Function>
  void for_each(Function&& function) const {
    for (std::size_t index = 1; index < count_; ++index) {
      PendingRequest& request = chunks_[index / kChunk][index % kChunk];
      if (request.active || request.persistent) {
        function(request);
      }
    }
  }

  std::vector<PendingRequest*> operations;  // active ones with an Operation that is not finished
  std::vector<PendingRequest*> abandoned;   // to be released once complete
  std::int32_t next_partition_tag = 0;      // for the rank's partitioned sends

 private:
  static constexpr std::size_t kChunk = 8;  // a rank that only waits in collectives pays for one chunk
  void refill();
  void reset(PendingRequest& request);
  PendingRequest& at(std::size_t index) const { return chunks_[index / kChunk][index % kChunk]; }
  void pup_list(pup::Puper& p, std::vector<PendingRequest*>& list);

  std::vector<std::unique_ptr<PendingRequest[]>> chunks_;
  std::size_t count_ = 0;
  std::size_t live_ = 0;
  PendingRequest* free_ = nullptr;
};

// By Kind: makes an empty operation of the class, to unpack one into. The classes are in folders above this one, so the
// table is in layer/mpi_layer.cpp and reached through ProcessState.
using OperationTable = std::array<std::unique_ptr<Operation> (*)(), Operation::kKinds>;

// Why a rank with this pending message cannot be packed, or null.
const char* pinned_by(const runtime::Request& request);
// As runtime::pup_request(), but packs the layout of the buffer, too.
void pup_message_request(pup::Puper& p, runtime::Rank& owner, runtime::Request& request);

}  // namespace request
}  // namespace weft::mpi_shim
