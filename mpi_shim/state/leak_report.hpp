// The report of what ranks have not freed, completed or received at their end (--check).
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mpi_shim/state/call_sites.hpp"
#include "mpi_shim/state/leak.hpp"
#include "pup/pup.hpp"

namespace weft::mpi_shim {
inline namespace state {

// The leaks of many ranks. Leaks of one kind that were created at one place in the program form a group.
class LeakReport {
 public:
  // Once for each rank. Without `sites` (null) the report names no places.
  void add(int rank, const std::vector<Leak>& leaks, CallSites* sites);
  // Replaces names of places by source lines, where they are known.
  void find_lines(CallSites& sites);
  void merge(LeakReport&& other);
  // A line for each group, in the order of the first rank that has it and of that rank's leaks; empty if there is none:
  // "weft: ranks 0-15: request never completed: MPI_Irecv at solver.c:15, 4 bytes from ranks 0-15, tags 0-8 (9 on each
  // rank, 144 in all)".
  std::string text() const;

  void pup(pup::Puper& p) { p | groups_; }

 private:
  using Values = std::set<std::int64_t>;
  struct Key {
    std::string what, call, place;
    auto operator<=>(const Key&) const = default;
    void pup(pup::Puper& p) { p | what | call | place; }
  };
  struct Group {
    std::pair<int, std::uint32_t> first;  // the lowest rank that has one, and its place among that rank's leaks
    std::map<int, std::uint64_t> counts;  // by rank
    std::set<std::string> names;
    Values bytes, peers, tags;  // of messages; a negative peer or tag is any
    bool is_sent = false;

    void pup(pup::Puper& p) { p | first | counts | names | bytes | peers | tags | is_sent; }
  };
  void merge(const Key& key, Group& group);
  static std::string line(const Key& key, const Group& group);
  static std::string list(const Values& values, const char* what);

  std::map<Key, Group> groups_;
};

}  // namespace state
}  // namespace weft::mpi_shim
