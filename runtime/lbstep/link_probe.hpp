// Measures what messages between workers, processes and hosts cost: once in a job, while all ranks stand in a balancing
// step, for strategies that look at messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "lb/strategy.hpp"
#include "pup/pup.hpp"
#include "runtime/control/cluster.hpp"

namespace weft::runtime {

// Process 0 names one pair after the other: two workers of a process on one NUMA node, two on different ones, two
// processes of a host, the first processes of two hosts (some pairs of hosts only; what counts is their mean). Between
// workers an item goes to and fro through their inboxes, and bytes are copied by who gets it, as those of a message;
// between processes a text does. Of some rounds the fastest counts: a worker that has to wake up first, or another
// job, is not what a link costs. Under the step's lock, which items take.
class LinkProbe {
 public:
  // `known` is called in every process, with what was found.
  LinkProbe(Cluster& cluster, std::recursive_mutex& lock, std::function<void(const lb::Links&)> known)
      : cluster_(cluster), lock_(lock), known_(std::move(known)) {}

  // Process 0, while all ranks of the job stand. What no pair is there for keeps `usual`.
  void start(const lb::Links& usual);
  void hear(ProcessId from, std::span<const std::byte> text);

  static constexpr std::size_t kBytes = std::size_t{256} << 10;  // of long messages
  static constexpr std::uint32_t kShortRounds = 20;
  static constexpr std::uint32_t kLongRounds = 4;
  static constexpr std::size_t kHostPairs = 8;

 private:
  // A text's first byte. Behind ping and pong come bytes that mean nothing, behind the others what Text says.
  enum class Kind : std::uint8_t { measure, ping, pong, answer, known };
  struct Text {
    Kind kind = Kind::measure;
    std::uint32_t peer = 0;
    std::uint8_t distance = 0;
    lb::Link link;
    std::vector<lb::Link> links;
    void pup(pup::Puper& p);
  };
  struct Pair {
    lb::Distance distance = lb::Distance::kSameNuma;
    std::uint32_t from = 0;  // processes
    std::uint32_t to = 0;
  };
  struct Ball;

  void next();
  void measure(std::uint32_t peer, lb::Distance distance);
  void serve();     // a round begins
  void returned();  // and is over
  void tell(std::uint32_t to, Text& text);
  bool find_workers(lb::Distance distance);

  Cluster& cluster_;
  std::recursive_mutex& lock_;
  const std::function<void(const lb::Links&)> known_;

  // Process 0's.
  std::vector<Pair> pairs_;  // that are still to be measured
  lb::Links links_{};
  std::array<double, 5> counted_{};  // pairs of each kind so far

  // Of the pair that this process measures.
  std::uint32_t peer_ = 0;
  lb::Distance distance_ = lb::Distance::kSameNuma;
  std::array<std::uint32_t, 2> workers_{};  // of this process
  std::uint32_t rounds_ = 0;
  std::uint64_t began_ = 0;     // ticks
  std::uint64_t shortest_ = 0;  // of short rounds
  std::uint64_t longest_ = 0;   // the same of long ones
  std::vector<std::byte> sent_;
  std::vector<std::byte> got_;
};

}  // namespace weft::runtime
