// The report of what ranks have not freed or received at their end (--check).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace weft::mpi_shim {
inline namespace state {

// Appends "2 windows were never freed" unless there is none.
void add_unfreed(std::vector<std::string>& lines, std::size_t live, const char* what);

// What many ranks left, so that equal lines are said once.
class LeakReport {
 public:
  void add(int rank, const std::vector<std::string>& lines);
  // "weft: ranks 0-3, 7: …" for each different line, in the order of the first rank that has it; empty if there is
  // none. Forgets all.
  std::string take();

 private:
  std::map<std::string, std::vector<int>> ranks_of_;             // by line
  std::map<std::string, std::pair<int, std::size_t>> place_of_;  // its lowest rank, and its place there
};

}  // namespace state
}  // namespace weft::mpi_shim
