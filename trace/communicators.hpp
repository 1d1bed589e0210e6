// The members of the communicators that a trace names.
//
// An event of EventKind::comm defines a context number from then on, for the ranks in its text. The text has the
// members' ranks in the job as numbers and ranges, such as "0-3,8", then a space and the communicator's name. An
// intercommunicator has two such groups with a '/' between them. kSelf (MPI_COMM_SELF) needs no event.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/event.hpp"

namespace weft::trace {

// The text of a group; ranks are in the group's order.
std::string group_text(const std::vector<std::uint32_t>& ranks);

struct Communicator {
  std::string name;
  std::vector<std::uint32_t> group;
  std::vector<std::uint32_t> other;  // of an intercommunicator
};

class Communicators {
 public:
  static constexpr std::uint32_t kSelfContext = 1;
  static constexpr std::uint32_t kSelf = 0;  // its index; its group is empty
  static constexpr std::uint32_t kUnknown = UINT32_MAX;

  Communicators() : all_(1) { all_[kSelf].name = "MPI_COMM_SELF"; }

  // Handles an event of EventKind::comm. Throws Error for a text that names more ranks than a job can have.
  void define(std::uint32_t context, const std::string& text);
  // The index of the communicator that the context number means for a rank; kUnknown if there is none.
  std::uint32_t find(std::uint32_t context, RankId rank) const;
  // The rank in the job of the communicator's rank `number`, as `rank` uses it; in an intercommunicator that is a rank
  // of the other group. In kSelf: `rank` itself; in kUnknown: `number`.
  std::uint32_t peer(std::uint32_t index, RankId rank, std::uint32_t number) const;
  // By index.
  const std::vector<Communicator>& all() const { return all_; }

 private:
  std::vector<Communicator> all_;
  std::unordered_map<std::string, std::uint32_t> by_text_;  // keys begin with the context number
  std::unordered_map<std::uint64_t, std::uint32_t> meaning_;
};

}  // namespace weft::trace
