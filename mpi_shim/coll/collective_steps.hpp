// The steps of collective algorithms by messages. BlockingExecutor executes each step at once; for a call with a
// request ScheduleBuilder records them (schedule/schedule_builder.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "mpi_shim/coll/choice.hpp"
#include "mpi_shim/coll/reduction_arguments.hpp"
#include "mpi_shim/comm/peers.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// A block that did not fit into the receive buffer.
struct Truncation {
  int from = 0;  // the member that sent it
  std::uint64_t bytes = 0;
  std::uint64_t room = 0;
};

// One member's steps of one call. A step may read only what earlier steps have written. An algorithm must not look at
// received data, since the steps may be executed later. Buffers and what they point to stay valid until the call ends.
class CollectiveSteps {
 public:
  // As coll/steps/executor.hpp requires.
  using Members = Peers;
  using Memory = runtime::Buffer;
  // Names a message that has been started; an algorithm waits for each once.
  using Ticket = std::size_t;

  virtual ~CollectiveSteps() = default;
  CollectiveSteps(const CollectiveSteps&) = delete;
  CollectiveSteps& operator=(const CollectiveSteps&) = delete;

  const Communicator& comm() const { return comm_; }

  // The peers of messages: the members of an intracommunicator, or one group of an intercommunicator.
  virtual Peers members(Collective call) const = 0;
  virtual Peers own_group(Collective call) const = 0;
  virtual Peers other_group(Collective call) const = 0;

  // Which of the possible algorithms the call uses: the caller's, if it has decided.
  virtual Algorithm choose(Collective call, std::size_t bytes, Algorithm built_in, Algorithms possible) const {
    return decided_ ? *decided_ : mpi_shim::choose(comm_, {call, call_form(), bytes, built_in, possible});
  }

  virtual Ticket start_send(const Peers& peers, int to, const runtime::Buffer& buffer) = 0;
  virtual Ticket start_receive(const Peers& peers, int from, const runtime::Buffer& buffer) = 0;
  virtual void wait(Ticket ticket) = 0;
  // Start and wait in one.
  virtual void send(const Peers& peers, int to, const runtime::Buffer& buffer) = 0;
  virtual void receive(const Peers& peers, int from, const runtime::Buffer& buffer) = 0;

  // Truncates what does not fit. That is an error unless `sender`, the member whose data it is, is negative.
  virtual void copy(const runtime::Buffer& from, const runtime::Buffer& to, int sender = -1) = 0;
  // Called before the steps of a reduction.
  virtual void begin_reduction(const Reduction& reduction) = 0;
  // Computes left op right of n elements each. Returns where the result is, `left` or `right`; the other one's value is
  // lost.
  virtual void* combine(const Reduction& reduction, void* left, void* right, std::size_t n) = 0;
  // Memory that is aligned for any type and stays valid until the call ends.
  virtual std::byte* scratch(std::size_t bytes) = 0;

  void wait_all(std::vector<Ticket>& tickets) {
    for (const Ticket ticket : tickets) {
      wait(ticket);
    }
    tickets.clear();
  }

 protected:
  CollectiveSteps(RankState& me, const Communicator& comm, std::optional<Algorithm> decided = {})
      : me_(me), comm_(comm), decided_(decided) {}
  virtual CallForm call_form() const = 0;

  RankState& me_;
  const Communicator& comm_;
  const std::optional<Algorithm> decided_;
};

// Whether the message was shorter than the receive buffer.
inline bool is_short_receive(const runtime::Request& request) {
  return request.kind == runtime::Request::Kind::receive && request.sent < request.buffer.bytes;
}

inline constexpr char kOperationThrew[] = "an exception left the user's operation at a rank of the group";

// Executes every step at once; the calls suspend the rank where they must.
class BlockingExecutor final : public CollectiveSteps {
 public:
  BlockingExecutor(const Entry& entry, const Communicator& comm, std::optional<Algorithm> decided = {})
      : CollectiveSteps(entry.me, comm, decided) {}

  Peers members(Collective call) const override;
  Peers own_group(Collective call) const override;
  Peers other_group(Collective call) const override;
  Ticket start_send(const Peers& peers, int to, const runtime::Buffer& buffer) override;
  Ticket start_receive(const Peers& peers, int from, const runtime::Buffer& buffer) override;
  void wait(Ticket ticket) override;
  void send(const Peers& peers, int to, const runtime::Buffer& buffer) override;
  void receive(const Peers& peers, int from, const runtime::Buffer& buffer) override;
  void copy(const runtime::Buffer& from, const runtime::Buffer& to, int sender) override;
  void begin_reduction(const Reduction& reduction) override { op_may_throw_ = reduction.user_op != nullptr; }
  void* combine(const Reduction& reduction, void* left, void* right, std::size_t n) override;
  std::byte* scratch(std::size_t bytes) override;

  // Called after the last step: MPI_SUCCESS or the error raised.
  int result(const Entry& entry) const;

 private:
  CallForm call_form() const override {
    return comm_.spans_processes() ? CallForm::several_processes : CallForm::one_process;
  }
  runtime::Request& request(Ticket ticket) {
    return ticket < first_.size() ? first_[ticket] : *more_[ticket - first_.size()];
  }
  Ticket fresh_ticket();
  void note(const runtime::Request& received);

  std::array<runtime::Request, 4> first_;
  std::vector<std::unique_ptr<runtime::Request>> more_;
  std::size_t tickets_ = 0;
  std::vector<Ticket> free_;
  std::vector<std::unique_ptr<std::byte[]>> memory_;
  std::optional<Truncation> truncation_;
  // op_threw_: an exception has left the user's operation, here or on another member. From then on this member sends
  // empty messages, so that a message that is shorter than its buffer tells the receiver of the exception.
  bool op_may_throw_ = false;
  bool op_threw_ = false;
  // With --survive api: the first failure of a message. The remaining steps have no effect, and end soon since all
  // members' messages fail.
  runtime::Failure failure_ = runtime::Failure::none;
};

// Executes a call's steps, a function that takes a CollectiveSteps&. MPI_SUCCESS or the error raised.
template <typename Steps>
int run_blocking(const Entry& entry, const Communicator& comm, Steps&& steps, std::optional<Algorithm> decided = {}) {
  BlockingExecutor executor(entry, comm, decided);
  steps(executor);
  return executor.result(entry);
}

}  // namespace coll
}  // namespace weft::mpi_shim
