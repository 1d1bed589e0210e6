// Collective calls in memory send no messages. TrafficCounter counts what their members exchange, for balancing
// strategies that look at communication.
#pragma once

#include "mpi_shim/coll/collective_steps.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// Counts the messages that the call's steps would send, and executes none of the steps.
class TrafficCounter final : public CollectiveSteps {
 public:
  explicit TrafficCounter(const Entry& entry, const Communicator& comm) : CollectiveSteps(entry.me, comm) {}

  Algorithm choose(Collective, std::size_t, Algorithm built_in, Algorithms) const override { return built_in; }
  Peers members(Collective) const override { return peers_of(*comm_.shared->group); }
  Peers own_group(Collective) const override { return peers_of(*comm_.shared->group); }
  Peers other_group(Collective) const override { return peers_of(*comm_.shared->remote); }
  Ticket start_send(const Peers& peers, int to, const runtime::Buffer& buffer) override;
  Ticket start_receive(const Peers&, int, const runtime::Buffer&) override { return 0; }
  void wait(Ticket) override {}
  void send(const Peers& peers, int to, const runtime::Buffer& buffer) override { start_send(peers, to, buffer); }
  void receive(const Peers&, int, const runtime::Buffer&) override {}
  void copy(const runtime::Buffer&, const runtime::Buffer&, int) override {}
  void begin_reduction(const Reduction&) override {}
  void* combine(const Reduction& reduction, void* left, void* right, std::size_t) override {
    return reduction.user_op == nullptr ? left : right;
  }
  std::byte* scratch(std::size_t) override { return nowhere_; }

 private:
  CallForm call_form() const override { return CallForm::one_process; }
  Peers peers_of(const Group& group) const {
    return Peers::in_context(me_, comm_, comm_.collective_context(), group, 0);
  }
  alignas(std::max_align_t) std::byte nowhere_[16];  // never read
};

// Called before members synchronize in memory: counts `steps`, which the call would execute by messages.
template <typename Steps>
void count_as_messages(const Entry& entry, const Communicator& comm, Steps&& steps) {
  if (entry.me.rank->traffic != nullptr) [[unlikely]] {
    TrafficCounter counter(entry, comm);
    steps(counter);
  }
}

}  // namespace coll
}  // namespace weft::mpi_shim
