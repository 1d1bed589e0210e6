// Executes collective algorithms by messages: BlockingExecutor does each step at once; for a call with a request
// ScheduleBuilder writes them down (schedule/schedule_builder.hpp).
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

// A block that did not fit into its place.
struct TooLong {
  int from = 0;  // the member that sent it
  std::uint64_t bytes = 0;
  std::uint64_t room = 0;
};

// One member's steps of one call. What a step reads may have been written by those before it, and by no others; so no
// algorithm may ask what it has received. Buffers and what they point to stay in place until the call is over.
class CollectiveSteps {
 public:
  // Of coll/steps/executor.hpp.
  using Members = Peers;
  using Memory = runtime::Buffer;
  // Of a message that has been started; each is waited for once.
  using Ticket = std::size_t;

  virtual ~CollectiveSteps() = default;
  CollectiveSteps(const CollectiveSteps&) = delete;
  CollectiveSteps& operator=(const CollectiveSteps&) = delete;

  const Communicator& comm() const { return comm_; }

  // Whom messages go to. The members of an intracommunicator; of an intercommunicator one group or the other.
  virtual Peers members(Collective call) const = 0;
  virtual Peers own_group(Collective call) const = 0;
  virtual Peers other_group(Collective call) const = 0;

  // Which of the possible algorithms the call goes by; what the caller has decided, if it has.
  virtual Algorithm choose(Collective call, std::size_t bytes, Algorithm built_in, Algorithms possible) const {
    return decided_ ? *decided_ : mpi_shim::choose(comm_, {call, site(), bytes, built_in, possible});
  }

  virtual Ticket start_send(const Peers& peers, int to, const runtime::Buffer& buffer) = 0;
  virtual Ticket start_receive(const Peers& peers, int from, const runtime::Buffer& buffer) = 0;
  virtual void wait(Ticket ticket) = 0;
  // With the wait.
  virtual void send(const Peers& peers, int to, const runtime::Buffer& buffer) = 0;
  virtual void receive(const Peers& peers, int from, const runtime::Buffer& buffer) = 0;

  // What does not fit is cut off; `from`, unless negative, is the member that gets an error for it.
  virtual void copy(const runtime::Buffer& from, const runtime::Buffer& to, int sender = -1) = 0;
  // Before the steps of a reduction.
  virtual void reduces(const Reduction& reduction) = 0;
  // Of n elements each: left op right. Returns where the result lies, the one or the other; the other's value is lost.
  virtual void* combine(const Reduction& reduction, void* left, void* right, std::size_t n) = 0;
  // Memory for anything, aligned; until the call is over.
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
  virtual Site site() const = 0;

  RankState& me_;
  const Communicator& comm_;
  const std::optional<Algorithm> decided_;
};

// Whether less came than the place has room for.
inline bool is_cut_short(const runtime::Request& request) {
  return request.kind == runtime::Request::Kind::receive && request.sent < request.buffer.bytes;
}

inline constexpr char kLeftOperation[] = "an exception left the user's operation at a rank of the group";

// Does every step at once: start… and wait() suspend where they must.
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
  void reduces(const Reduction& reduction) override { may_fail_ = reduction.own != nullptr; }
  void* combine(const Reduction& reduction, void* left, void* right, std::size_t n) override;
  std::byte* scratch(std::size_t bytes) override;

  // At the end: MPI_SUCCESS or the error raised.
  int result(const Entry& entry) const;

 private:
  Site site() const override { return comm_.spans_processes() ? Site::processes : Site::process; }
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
  std::optional<TooLong> too_long_;
  // A user's operation was left by an exception, here or at another member. What is sent from then on is empty, and a
  // message that is shorter than its place says that its sender has failed.
  bool may_fail_ = false;
  bool failed_ = false;
  // With --survive api: what is done from then on has no outcome, and what is left of the call passes quickly, since
  // all members' messages fail likewise.
  runtime::Failure broken_by_ = runtime::Failure::none;
};

// Runs a call's steps, a function that takes a CollectiveSteps&, to their end. MPI_SUCCESS or the error raised.
template <typename Steps>
int run_now(const Entry& entry, const Communicator& comm, Steps&& steps, std::optional<Algorithm> decided = {}) {
  BlockingExecutor executor(entry, comm, decided);
  steps(executor);
  return executor.result(entry);
}

}  // namespace coll
}  // namespace weft::mpi_shim
