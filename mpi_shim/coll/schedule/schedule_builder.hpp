// Records the steps of a collective algorithm as a schedule, for a call with a request.
#pragma once

#include "mpi_shim/coll/collective_steps.hpp"
#include "mpi_shim/coll/schedule/schedule.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// Calls with a request on one communicator are numbered, and the number is the tag of a call's messages. Members make
// the calls in the same order, so their numbers agree. A persistent call keeps its number: messages of two starts
// between two members do not overtake each other.
class ScheduleBuilder final : public CollectiveSteps {
 public:
  ScheduleBuilder(RankState& me, Communicator& comm);

  Peers members(Collective call) const override { return own_group(call); }
  Peers own_group(Collective call) const override;
  Peers other_group(Collective call) const override;
  Ticket start_send(const Peers& peers, int to, const runtime::Buffer& buffer) override;
  Ticket start_receive(const Peers& peers, int from, const runtime::Buffer& buffer) override;
  void wait(Ticket ticket) override;
  void send(const Peers& peers, int to, const runtime::Buffer& buffer) override;
  void receive(const Peers& peers, int from, const runtime::Buffer& buffer) override;
  void copy(const runtime::Buffer& from, const runtime::Buffer& to, int sender) override;
  void begin_reduction(const Reduction& reduction) override { schedule_->op_may_throw_ = reduction.user_op != nullptr; }
  void* combine(const Reduction& reduction, void* left, void* right, std::size_t n) override;
  std::byte* scratch(std::size_t bytes) override;

  // Called after the last step; `call` is the entry point's name.
  std::unique_ptr<Schedule> take(const char* call);

 private:
  CallForm call_form() const override { return CallForm::with_request; }
  ScheduleStep& add(ScheduleStep::Kind kind);
  Ticket fresh_ticket();
  void keep_type(const runtime::Buffer& buffer);

  std::unique_ptr<Schedule> schedule_;
  const int number_;
  std::size_t scratch_left_ = 0;  // bytes left in the last block of scratch memory
  std::uint32_t tickets_ = 0;
  std::vector<std::uint32_t> free_;
};

}  // namespace coll
}  // namespace weft::mpi_shim
