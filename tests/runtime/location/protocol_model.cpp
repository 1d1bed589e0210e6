#include "tests/runtime/location/protocol_model.hpp"

#include <algorithm>
#include <utility>

#include "tests/runtime/location/protocol_operations.hpp"

namespace weft::runtime {
inline namespace location {
namespace model {

Model::Model(const Setting& of) : setting(&of) {
  for (std::uint8_t rank = 0; rank < kRanks; ++rank) {
    ranks[rank].at = encode({&kWorkerHandles[of.homes[rank]], of.has_queue[rank] ? State::here_queued : State::here});
    ranks[rank].holder = of.homes[rank];
    ranks[rank].status = of.program.ranks[rank].empty() ? Status::ended : Status::ready;
  }
  exposures = of.exposures;
  gifts = of.gifts;
  closings = of.closings;
}

// The numbers of a worker's operations: go on or between_ranks; run rank; close rank; expose ranks; give rank to
// worker; move rank to worker; steal from worker.
bool Model::begin(std::uint8_t worker, std::uint32_t number) {
  if (number-- == 0) {
    workers[worker].kind = Kind::between_ranks;
    return workers[worker].inbox_size != 0 || workers[worker].in_slots != 0;
  }
  if (number < 2 * kRanks) {
    return begin_with_rank(worker, number < kRanks ? Kind::run : Kind::close,
                           static_cast<std::uint8_t>(number % kRanks), 0);
  }
  number -= 2 * kRanks;
  if (number < kSets) {
    const std::uint32_t set = number + 1;
    for (std::uint8_t rank = 0; rank < kRanks; ++rank) {
      if ((set >> rank & 1U) != 0 && !is_movable(worker, rank)) {
        return false;
      }
    }
    workers[worker].kind = Kind::expose;
    workers[worker].rank = static_cast<std::uint8_t>(set);
    return exposures-- != 0;
  }
  number -= kSets;
  if (number < 2 * kRanks * kWorkers) {
    const auto rank = static_cast<std::uint8_t>(number % kRanks);
    const auto to = static_cast<std::uint8_t>(number / kRanks % kWorkers);
    return begin_with_rank(worker, number < kRanks * kWorkers ? Kind::give : Kind::move, rank, to);
  }
  number -= 2 * kRanks * kWorkers;
  workers[worker].kind = Kind::steal;
  workers[worker].other = static_cast<std::uint8_t>(number);
  return number != worker && std::ranges::any_of(workers[number].slots, [](std::uint8_t slot) { return slot != 0; });
}

bool Model::is_movable(std::uint8_t worker, std::uint8_t rank) const {
  return ranks[rank].holder == worker && ranks[rank].status == Status::ready;
}

bool Model::begin_with_rank(std::uint8_t worker, Kind kind, std::uint8_t rank, std::uint8_t other) {
  workers[worker].kind = kind;
  workers[worker].rank = rank;
  workers[worker].other = other;
  switch (kind) {
    case Kind::run:
      return is_movable(worker, rank);
    case Kind::close:
      return ranks[rank].holder == worker && ranks[rank].status != Status::ended &&
             decode(ranks[rank].at) == At{&kWorkerHandles[worker], State::here_queued} && closings-- != 0;
    case Kind::give:
      return is_movable(worker, rank) && other != worker && gifts-- != 0;
    default:
      return ranks[rank].holder == worker && ranks[rank].status == Status::in_step &&
             std::ranges::all_of(ranks,
                                 [](const Rank& all) { return all.in_step != 0 || all.status == Status::ended; });
  }
}

bool Model::take(std::uint32_t choice) {
  const auto number = static_cast<std::uint8_t>(choice / kKinds);
  Worker& worker = workers[number];
  if (choice % kKinds == kKinds - 1) {
    return std::exchange(worker.posting, Posting::yes) == Posting::buffered;
  }
  if (worker.kind != Kind::none ? choice % kKinds != 0 : !begin(number, choice % kKinds)) {
    return false;
  }
  Recorder recorder(worker.log);
  Operations op(*this, number, recorder);
  auto acts = [&] { act(op, worker); };
  if (!recorder.run(acts)) {
    return recorder.has_stepped();
  }
  worker.kind = Kind::none;
  worker.rank = 0;
  worker.other = 0;
  worker.log = {};
  return true;
}

std::string Model::describe(std::uint32_t choice) const {
  if (choice % kKinds == kKinds - 1) {
    return fmt::format("worker {} writes its store buffer: it is posting", choice / kKinds);
  }
  std::string text;
  told = &text;
  Model copy = *this;
  copy.take(choice);
  told = nullptr;
  constexpr std::array<const char*, 8> kNames{"",      "runs",   "is between ranks", "exposes",
                                              "gives", "steals", "closes a queue",   "moves a rank in the step"};
  copy = *this;
  const std::uint32_t number = choice / kKinds;
  const bool begins =
      copy.workers[number].kind == Kind::none && copy.begin(static_cast<std::uint8_t>(number), choice % kKinds);
  return fmt::format("worker {} {} {}: {}", number,
                     begins ? "begins:" : "goes on:", kNames[static_cast<std::size_t>(copy.workers[number].kind)],
                     text);
}

// Where the message has been sent and not delivered, and no worker is in the middle of anything, the worker that has
// the rank must be able to find it alone: what other workers compute meanwhile must not delay it.
std::string Model::misplaced(std::uint8_t message) const {
  const std::uint8_t to = setting->program.receivers[message];
  const Rank& rank = ranks[to];
  const bool is_queued = std::ranges::find(rank.queue.begin(), rank.queue.begin() + rank.queued, message) !=
                         rank.queue.begin() + rank.queued;
  if (rank.holder == kNobody) {
    return is_queued ? "" : fmt::format("message {} does not follow its receiver", message);
  }
  const Worker& holder = workers[rank.holder];
  const auto lies_there = [&](std::uint8_t item) {
    return std::ranges::find(holder.inbox.begin(), holder.inbox.begin() + holder.inbox_size, item) !=
           holder.inbox.begin() + holder.inbox_size;
  };
  return lies_there(message) || (is_queued && lies_there(static_cast<std::uint8_t>(kNotice + to)))
             ? ""
             : fmt::format("message {} lies where its receiver's worker does not look for it", message);
}

std::string Model::wrong() const {
  if (error != none) {
    return kErrors[error];
  }
  if (std::ranges::any_of(workers, [](const Worker& worker) { return worker.kind != Kind::none; })) {
    return "";
  }
  for (std::uint8_t message = 0; message < kMessages; ++message) {
    if ((sent >> message & 1U) != 0 && (accepted >> message & 1U) == 0) {
      if (std::string text = misplaced(message); !text.empty()) {
        return text;
      }
    }
  }
  return "";
}

std::string Model::wrong_at_end() const {
  const bool over = std::ranges::all_of(ranks, [](const Rank& rank) { return rank.status == Status::ended; });
  const bool empty = std::ranges::all_of(ranks, [](const Rank& rank) { return rank.queued == 0; });
  return over && empty ? "" : "nobody can go on: a message or a rank is lost";
}

}  // namespace model
}  // namespace location
}  // namespace weft::runtime
