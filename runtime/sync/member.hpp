// What teams know of a rank.
#pragma once

#include <vector>

#include "runtime/p2p/endpoint.hpp"

namespace weft::runtime {

class Team;

class Member : public Endpoint {
 public:
  using Endpoint::Endpoint;

  std::vector<Team*> teams;  // it is a member of
};

// The rank is about to leave this worker, on its thread: the worker's share of its teams is smaller from now on.
void leave_worker(Worker& here, Member& rank);
// The rank has come to this worker, on its thread, by whatever way: it counts there, and is ready.
void arrive_at_worker(Worker& here, Member& rank);

}  // namespace weft::runtime
