// A random schedule of messages, and the sequential model of MPI's matching that its receives are compared with.
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include "mpi.h"
#include "tests/mpi_shim/p2p/fuzz_settings.hpp"

namespace weft::mpi_shim {

inline constexpr int kFuzzRanks = 4;
inline constexpr int kFuzzTags = 3;
inline constexpr int kFuzzComms = 3;    // the last one numbers its ranks backwards
inline constexpr int kFuzzLayouts = 2;  // ints one after the other, or every second one
inline constexpr int kLongest = 6000;   // ints; 4096 are the longest eager message
inline constexpr int kUntouched = -77;  // in buffers, where no message may write

struct Message {
  int sequence;  // among those of its sender to its receiver in its communicator
  int tag;
  int ints;
};

// The pattern that a receive matches.
struct Pattern {
  int comm;
  int source;  // a rank of the job, or MPI_ANY_SOURCE
  int tag;
  bool matches(const Message& message) const { return tag == MPI_ANY_TAG || tag == message.tag; }
};

// The rank in a communicator of a rank of the job, and back.
inline int rank_in(int comm, int rank) { return rank < 0 || comm + 1 < kFuzzComms ? rank : kFuzzRanks - 1 - rank; }

// All messages of a schedule. In an ordered plan each rank's patterns are disjoint: one receive per message is enough,
// and all are matched in whatever order the messages arrive.
class Plan {
 public:
  explicit Plan(std::uint32_t seed) : seed_(seed), random_(seed) {
    ordered_ = one_in(random_, 3);
    longest_ = one_in(random_, 8) ? kLongest : 40;
    moves_ = std::max(0, below(random_, 6) - 3);
    for (auto& of_comm : messages_) {
      for (auto& of_sender : of_comm) {
        for (auto& queue : of_sender) {
          fill(queue);
        }
      }
    }
    for (int rank = 0; rank < kFuzzRanks; ++rank) {
      any_tag_.push_back(below(random_, 3) == 0);
      any_source_.push_back(below(random_, 8));
    }
  }

  std::uint32_t seed() const { return seed_; }
  bool ordered() const { return ordered_; }
  int longest() const { return longest_; }  // ints of a message
  int moves() const { return moves_; }      // how often every rank calls MPI_Migrate on its way

  const std::vector<Message>& between(int comm, int from, int to) const {
    return messages_[index(comm)][index(from)][index(to)];
  }
  int sent_to(int comm, int to) const {
    std::size_t sum = 0;
    for (int from = 0; from < kFuzzRanks; ++from) {
      sum += between(comm, from, to).size();
    }
    return static_cast<int>(sum);
  }

  // The one pattern of an ordered plan's receiver that takes such a message.
  Pattern pattern(int comm, int receiver, int source, int tag) const {
    const int bits = any_source_[index(receiver)];
    if (any_tag_[index(receiver)]) {
      return {comm, (bits & 1) != 0 ? MPI_ANY_SOURCE : source, MPI_ANY_TAG};
    }
    return {comm, (bits >> tag & 1) != 0 ? MPI_ANY_SOURCE : source, tag};
  }

  int word(int comm, int from, int to, const Message& message, int i) const {
    return static_cast<int>(seed_ * 31U) + comm * 7000003 + from * 1000003 + to * 100003 + message.sequence * 10007 +
           message.tag * 7919 + i;
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  void fill(std::vector<Message>& queue) {
    for (int i = std::max(0, below(random_, 6) - 2); i > 0; --i) {
      queue.push_back({static_cast<int>(queue.size()), below(random_, kFuzzTags), length()});
    }
  }
  int length() {
    constexpr int kLengths[] = {0, 1, 2, 15, 40, 300, 4095, 4096, 4097, kLongest};
    return std::min(longest_, kLengths[below(random_, static_cast<int>(std::size(kLengths)))]);
  }

  std::uint32_t seed_;
  Random random_;
  bool ordered_ = false;
  int longest_ = 0;
  int moves_ = 0;
  std::vector<Message> messages_[kFuzzComms][kFuzzRanks][kFuzzRanks];
  std::vector<bool> any_tag_;
  std::vector<int> any_source_;  // bit i: of tag i
};

// The messages that a rank has not received yet. Each of the rank's receives, in the order of posting, must have got
// the first message of its source that it matches and that no earlier receive has taken.
class MatchingModel {
 public:
  MatchingModel(const Plan& plan, int receiver) {
    for (int comm = 0; comm < kFuzzComms; ++comm) {
      for (int from = 0; from < kFuzzRanks; ++from) {
        const std::vector<Message>& sent = plan.between(comm, from, receiver);
        left(comm, from).assign(sent.begin(), sent.end());
      }
    }
  }

  // The message that a receive must have got from `source`; false if none matches.
  bool take(const Pattern& pattern, int source, Message& message) {
    std::deque<Message>& queue = left(pattern.comm, source);
    const auto first = std::find_if(queue.begin(), queue.end(), [&](const Message& m) { return pattern.matches(m); });
    if (first == queue.end()) {
      return false;
    }
    message = *first;
    queue.erase(first);
    return true;
  }

  bool all_taken() const {
    return std::all_of(std::begin(left_), std::end(left_), [](const auto& queue) { return queue.empty(); });
  }

 private:
  std::deque<Message>& left(int comm, int from) { return left_[comm * kFuzzRanks + from]; }
  std::deque<Message> left_[kFuzzComms * kFuzzRanks];
};

// The arguments that the sender and the receiver of a rank's schedule share.
struct FuzzContext {
  const Plan& plan;
  int rank;
  const MPI_Comm* comms;
  MPI_Datatype layouts[kFuzzLayouts];
  Random& random;
};

// Ints from one element of a layout to the next.
inline std::size_t stride_of(int layout) { return static_cast<std::size_t>(layout) + 1; }

}  // namespace weft::mpi_shim
