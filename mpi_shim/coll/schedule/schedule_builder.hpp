// Writes the steps of a collective algorithm down, for a request.
#pragma once

#include "mpi_shim/coll/collective_steps.hpp"
#include "mpi_shim/coll/schedule/schedule.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// Calls on one communicator are numbered: members make them in the same order, and the messages of each have a tag of
// their own. A persistent call keeps its number: between two members the messages of two starts keep their order.
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
  void reduces(const Reduction& reduction) override { schedule_->may_fail_ = reduction.own != nullptr; }
  void* combine(const Reduction& reduction, void* left, void* right, std::size_t n) override;
  std::byte* scratch(std::size_t bytes) override;

  // At the end; `call` is the entry point's name.
  std::unique_ptr<Schedule> take(const char* call);

 private:
  Site site() const override { return Site::request; }
  ScheduleStep& add(ScheduleStep::Kind kind);
  Ticket fresh_ticket();
  void keep_type(const runtime::Buffer& buffer);

  std::unique_ptr<Schedule> schedule_;
  const int number_;
  std::size_t room_ = 0;  // bytes left of the last memory
  std::uint32_t tickets_ = 0;
  std::vector<std::uint32_t> free_;
};

}  // namespace coll
}  // namespace weft::mpi_shim
