// What a collective call that has a request still has to do, as data: it may be done again, and moves with its rank.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "mpi_shim/comm/communicator.hpp"
#include "mpi_shim/error/kept_exception.hpp"
#include "mpi_shim/op/op.hpp"
#include "mpi_shim/request/request.hpp"

namespace weft::mpi_shim {
inline namespace coll {

struct ScheduleStep {
  enum class Kind : std::uint8_t { send, receive, wait, copy, combine };

  Kind kind = Kind::wait;
  std::uint32_t ticket = 0;  // send, receive, wait: which request
  std::uint32_t to = 0;      // send: the rank in the job
  std::int32_t member = -1;  // send: the receiver, for reports; copy: the sender if cutting its message off is an error
  runtime::MatchKey key;     // send, receive
  runtime::Buffer from;      // send, copy; combine: the left value, and how many elements
  runtime::Buffer into;      // receive, copy; combine: the right value
};

// How two values become one.
struct Combination {
  MPI_Op op = MPI_OP_NULL;
  Kernel kernel = nullptr;  // null: `own`
  Op own;                   // a copy: the program may free its handle
  std::shared_ptr<const Datatype> type;
};

// Steps are done in their order, each as soon as those before it are; only waits take time.
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

  bool perform(RankState& me, const ScheduleStep& step);  // false: it has to wait
  void combine(const ScheduleStep& step);
  void pup_address(pup::Puper& p, const std::vector<const std::byte*>& memory, MPI_Aint low, void*& address);
  void pup_buffer(pup::Puper& p, const std::vector<const std::byte*>& memory, runtime::Buffer& buffer);
  std::vector<const std::byte*> pup_memory(pup::Puper& p);

  const char* call_ = nullptr;
  std::vector<ScheduleStep> steps_;
  std::size_t next_ = 0;
  bool cut_off_ = false;  // a message was longer than its place
  // As in BlockingExecutor. The exception is kept for who waits for the request: the call that goes on with it may be
  // any other.
  bool may_fail_ = false;
  bool failed_ = false;
  KeptException kept_;
  runtime::Failure broken_by_ = runtime::Failure::none;  // with --survive api
  std::unique_ptr<runtime::Request[]> requests_;
  std::size_t request_count_ = 0;
  std::vector<Memory> memory_;                          // for what is not in the program's
  std::vector<std::shared_ptr<const Datatype>> types_;  // of the buffers
  std::optional<Combination> combination_;
  std::shared_ptr<const CommShared> comm_;  // so that nobody else gets its context; not carried: see ContextNumbers
};

}  // namespace coll
}  // namespace weft::mpi_shim
