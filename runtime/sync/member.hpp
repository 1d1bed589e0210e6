// The part of a rank that the sync layer uses: the teams of which it is a member.
#pragma once

#include <vector>

#include "runtime/p2p/endpoint.hpp"

namespace weft::runtime {
inline namespace sync {

class Team;

// Owned by the rank's worker, as the Endpoint.
class Member : public Endpoint {
 public:
  using Endpoint::Endpoint;

  std::vector<Team*> teams;  // of which it is a member
};

}  // namespace sync
}  // namespace weft::runtime
