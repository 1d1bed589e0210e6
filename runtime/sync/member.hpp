// What teams know of a rank.
#pragma once

#include <vector>

#include "runtime/p2p/endpoint.hpp"

namespace weft::runtime {
inline namespace sync {

class Team;

class Member : public Endpoint {
 public:
  using Endpoint::Endpoint;

  std::vector<Team*> teams;  // it is a member of
};

}  // namespace sync
}  // namespace weft::runtime
