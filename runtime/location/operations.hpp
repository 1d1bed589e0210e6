// Steal, expose, give and move, as protocol.hpp calls them: with the real atomics, inboxes and steal slots.
#pragma once

#include <cstddef>

#include "runtime/control/rank.hpp"
#include "runtime/location/balancing_worker.hpp"
#include "runtime/location/protocol.hpp"
#include "runtime/p2p/mail_route.hpp"

namespace weft::runtime {
inline namespace location {

// The whole `Operations` of location/protocol.hpp, for the worker whose thread makes the call.
class LocationOperations : public MailOperations {
 public:
  using MailOperations::MailOperations;

  // On the worker that has the rank, gives it away or has just stolen it.
  static void set(Rank& rank, location::Location<Worker*> at);
  void wait_for_posts();
  static void push_arrival(Worker& worker, Rank& rank);
  void deliver_inbox() { self_.deliver_inbox(); }
  void make_ready(Rank& rank);
  void put_into_slot(Rank& rank);
  Rank* steal_from(BalancingWorker& victim);

 private:
  std::size_t filled_slots_ = 0;  // by put_into_slot(), from slot 0 on; all are empty when expose() begins
};

}  // namespace location
}  // namespace weft::runtime
