// The schedule of a collective call with a request: its steps as data, so that it can be started again and moves with
// its rank.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "mpi_shim/comm/communicator.hpp"
#include "mpi_shim/error/pending_exception.hpp"
#include "mpi_shim/op/op.hpp"
#include "mpi_shim/request/request.hpp"

namespace weft::mpi_shim {
inline namespace coll {

struct ScheduleStep {
  enum class Kind : std::uint8_t { send, receive, wait, copy, combine };

  Kind kind = Kind::wait;
  std::uint32_t ticket = 0;  // send, receive, wait: which request
  std::uint32_t to = 0;      // send: the receiver's rank in the job
  std::int32_t member = -1;  // send: the receiver, for reports; copy: the sender, negative if truncation is no error
  runtime::MatchKey key;     // send, receive
  runtime::Buffer from;      // send, copy; combine: the left value's address and the number of elements
  runtime::Buffer into;      // receive, copy; combine: the right value's address
};

// How combine steps combine two values.
struct Combination {
  MPI_Op op = MPI_OP_NULL;
  Kernel kernel = nullptr;  // null: `user_op`
  Op user_op;               // a copy: the program may free its handle
  std::shared_ptr<const Datatype> type;
};

// Executes the steps in their order, as far as the next wait for a message that is not there.
class Schedule final : public Operation {
 public:
  Kind kind() const override { return Kind::collective; }
  bool collective() const override { return true; }
  const char* call() const override { return call_; }
  void pup(pup::Puper& p, runtime::Rank& owner) override;
  const char* pinned() const override;
  bool advance(RankState& me) override;
  void add_awaited(std::vector<runtime::Request*>& awaited) override;
  void add_open(std::vector<runtime::Request*>& open) override;
  int start(RankState& me) override;
  int finish(RankState& me, MPI_Status& status) override;

 private:
  friend class ScheduleBuilder;
  struct Memory {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
  };

  bool perform(RankState& me, const ScheduleStep& step);  // false: a wait whose message is not complete
  void combine(const ScheduleStep& step);
  void pup_address(pup::Puper& p, const std::vector<const std::byte*>& memory, MPI_Aint low, void*& address);
  void pup_buffer(pup::Puper& p, const std::vector<const std::byte*>& memory, runtime::Buffer& buffer);
  std::vector<const std::byte*> pup_memory(pup::Puper& p);

  const char* call_ = nullptr;
  std::vector<ScheduleStep> steps_;
  std::size_t next_ = 0;
  bool truncated_ = false;  // a message was longer than its buffer
  // As in BlockingExecutor. The exception is kept until the program waits for the request: any call of the rank may
  // advance the schedule.
  bool op_may_throw_ = false;
  bool op_threw_ = false;
  PendingException pending_exception_;
  runtime::Failure failure_ = runtime::Failure::none;  // with --survive api
  std::unique_ptr<runtime::Request[]> requests_;
  std::size_t request_count_ = 0;
  std::vector<Memory> memory_;                          // scratch memory
  std::vector<std::shared_ptr<const Datatype>> types_;  // of the buffers
  std::optional<Combination> combination_;
  std::shared_ptr<const CommShared> comm_;  // keeps its context from being reused; not packed: see ContextNumbers
};

}  // namespace coll
}  // namespace weft::mpi_shim
