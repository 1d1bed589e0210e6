// What a rank still holds at its end: WEFT_CHECK=1.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {

// One line for each unmatched message and leaked request, communicator, group, datatype, operation, error handler and
// info object.
std::vector<std::string> leftovers(RankState& me);

// What many ranks left, so that equal lines are said once.
class LeftoverReport {
 public:
  void add(int rank, const std::vector<std::string>& lines);
  // "weft: ranks 0-3, 7: …" for each different line, in the order of the first rank that has it; empty if there is
  // none. Forgets all.
  std::string take();

 private:
  std::map<std::string, std::vector<int>> ranks_of_;             // by line
  std::map<std::string, std::pair<int, std::size_t>> place_of_;  // its lowest rank, and its place there
};

}  // namespace weft::mpi_shim
