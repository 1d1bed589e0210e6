// Measures what messages between workers, processes and hosts cost. Runs once in a job, while all ranks stand still in
// a balancing step, for strategies that use messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "lb/strategy.hpp"
#include "pup/pup.hpp"
#include "runtime/control/control_handler.hpp"
#include "runtime/control/job_context.hpp"

namespace weft::runtime {
inline namespace lbstep {

// From process 0: measure what messages between the receiver and process `peer` cost.
struct LinkMeasure {
  static constexpr ControlKind kKind = ControlKind::link_measure;
  std::uint32_t peer = 0;  // a process; the receiver itself: between two of its workers
  lb::Distance distance = lb::Distance::kSameNuma;
  void pup(pup::Puper& p) { p | peer | distance; }
};

// A round trip, with bytes that have no meaning.
struct LinkPing {
  static constexpr ControlKind kKind = ControlKind::link_ping;
  std::span<const std::byte> bytes;
};
struct LinkPong {
  static constexpr ControlKind kKind = ControlKind::link_pong;
  std::span<const std::byte> bytes;
};

// To process 0.
struct LinkMeasured {
  static constexpr ControlKind kKind = ControlKind::link_measured;
  bool found = false;  // there was such a pair
  lb::Distance distance = lb::Distance::kSameNuma;
  lb::Link link;
  void pup(pup::Puper& p) { p | found | distance | link.seconds_per_message | link.seconds_per_byte; }
};

// From process 0 to all.
struct LinksKnown {
  static constexpr ControlKind kKind = ControlKind::links_known;
  lb::Links links{};
  void pup(pup::Puper& p) {
    for (lb::Link& link : links) {
      p | link.seconds_per_message | link.seconds_per_byte;
    }
  }
};

// Process 0 names one pair after the other: two workers of a process on one NUMA node, two on different nodes, two
// processes of a host, and the first processes of two hosts. Of pairs of hosts it takes only some, and uses their mean.
// Between workers an item travels back and forth through their inboxes, and its receiver copies bytes as it would those
// of a message. Between processes a control message does. The fastest of several rounds counts, since wake-ups of
// workers and other jobs are not costs of the link. Guarded by the lock of the balancing step; an item that has come
// back takes it.
class LinkProbe {
 public:
  // `known` is called in every process with the result.
  LinkProbe(const JobContext& job, ControlHandler& step, std::function<void(const lb::Links&)> known)
      : job_(job), step_(step), known_(std::move(known)) {}

  // Called on process 0 while all ranks of the job stand still. Kinds of links without any pair keep the value of
  // `usual`.
  void start(const lb::Links& usual);

  using Messages = ControlMessages<LinkMeasure, LinkPing, LinkPong, LinkMeasured, LinksKnown>;
  void on(ProcessId from, const LinkMeasure& message);
  void on(ProcessId from, const LinkPing& message);
  void on(ProcessId from, const LinkPong& message);
  void on(ProcessId from, const LinkMeasured& message);
  void on(ProcessId from, const LinksKnown& message);

  static constexpr std::size_t kBytes = std::size_t{256} << 10;  // in long messages
  static constexpr std::uint32_t kShortRounds = 20;
  static constexpr std::uint32_t kLongRounds = 4;
  static constexpr std::size_t kHostPairs = 8;

 private:
  struct Pair {
    lb::Distance distance = lb::Distance::kSameNuma;
    std::uint32_t from = 0;  // processes
    std::uint32_t to = 0;
  };
  struct PingItem;

  void next();
  void measure(std::uint32_t peer, lb::Distance distance);
  void start_round();
  void end_round();
  bool find_workers(lb::Distance distance);

  const JobContext& job_;
  ControlHandler& step_;
  const std::function<void(const lb::Links&)> known_;

  // Used on process 0.
  std::vector<Pair> pairs_;  // still to be measured
  lb::Links links_{};
  std::array<double, 5> counted_{};  // pairs of each kind so far

  // The pair that this process measures.
  std::uint32_t peer_ = 0;
  lb::Distance distance_ = lb::Distance::kSameNuma;
  std::array<std::uint32_t, 2> workers_{};  // of this process
  std::uint32_t rounds_ = 0;
  std::uint64_t began_ = 0;     // ticks
  std::uint64_t shortest_ = 0;  // the fastest round with a short message, in ticks
  std::uint64_t longest_ = 0;   // the fastest round with a long message, in ticks
  std::vector<std::byte> sent_;
  std::vector<std::byte> got_;
};

}  // namespace lbstep
}  // namespace weft::runtime
