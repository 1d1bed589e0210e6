// The members of the communicators that a trace names.
//
// An event of EventKind::comm says what a context number stands for from then on, for the ranks that it names: the
// members' ranks in the job as numbers and ranges, "0-3,8", then a space and the communicator's name. An
// intercommunicator has two such groups with a '/' between them. kSelf needs no event: each rank is alone there.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/event.hpp"

namespace weft::trace {

// A group as the text has it; ranks in the group's order.
std::string group_text(const std::vector<std::uint32_t>& ranks);

struct Communicator {
  std::string name;
  std::vector<std::uint32_t> group;
  std::vector<std::uint32_t> other;  // of an intercommunicator
};

class Communicators {
 public:
  static constexpr std::uint32_t kSelfContext = 1;
  static constexpr std::uint32_t kSelf = 0;  // its index; it names nobody
  static constexpr std::uint32_t kUnknown = UINT32_MAX;

  Communicators() : all_(1) { all_[kSelf].name = "MPI_COMM_SELF"; }

  void learn(std::uint32_t context, const std::string& text);
  // The index of what the context number means to a rank; kUnknown.
  std::uint32_t find(std::uint32_t context, RankId rank) const;
  // The rank in the job of whom this rank names by a number: itself in kSelf, the number in kUnknown.
  std::uint32_t peer(std::uint32_t index, RankId rank, std::uint32_t number) const;
  // By index.
  const std::vector<Communicator>& all() const { return all_; }

 private:
  std::vector<Communicator> all_;
  std::unordered_map<std::string, std::uint32_t> by_text_;  // with the context number before it
  std::unordered_map<std::uint64_t, std::uint32_t> meaning_;
};

}  // namespace weft::trace
