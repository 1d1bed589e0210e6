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

}  // namespace weft::runtime
