// The failure messages that the launcher sends to the processes of a job with --survive api, for all orders in which
// frames may arrive.
#include "runtime/bootstrap/failure_coordinator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace weft::bootstrap {
namespace {

using Sent = std::vector<std::pair<std::uint32_t, Frame>>;

struct Fixture {
  explicit Fixture(std::uint32_t processes)
      : coordinator(processes, [this](std::uint32_t to, const Frame& frame) { sent.emplace_back(to, frame); }) {}
  // The frames sent since the last call.
  Sent take() { return std::exchange(sent, {}); }

  Sent sent;
  FailureCoordinator coordinator;
};

Frame part_of(const std::string& name, std::uint32_t flags, const std::vector<std::uint32_t>& numbers) {
  return {FrameKind::kAgree, flags, name, pack_numbers(numbers)};
}

TEST(FailureCoordinator, TellsTheLivingOfADeathAndSettlesItOnceAllHaveActed) {
  Fixture job(3);
  job.coordinator.note_death(1);
  const Sent told = job.take();
  ASSERT_EQ(told.size(), 2U);
  for (const auto& [to, frame] : told) {
    EXPECT_NE(to, 1U);
    EXPECT_EQ(frame.kind, FrameKind::kDied);
    EXPECT_EQ(frame.number, 1U);
  }
  job.coordinator.handle(0, {FrameKind::kApplied, 1});
  EXPECT_TRUE(job.take().empty());
  job.coordinator.handle(2, {FrameKind::kApplied, 1});
  const Sent settled = job.take();
  ASSERT_EQ(settled.size(), 2U);
  EXPECT_EQ(settled[0].second.kind, FrameKind::kSettled);
  EXPECT_EQ(settled[0].second.number, 1U);
}

TEST(FailureCoordinator, ADeathSettlesWhatOnlyTheDeadHadNotActedOn) {
  Fixture job(3);
  job.coordinator.handle(0, {FrameKind::kRevoke, 12});
  job.coordinator.handle(0, {FrameKind::kApplied, 1});
  job.coordinator.handle(1, {FrameKind::kApplied, 1});
  job.take();
  job.coordinator.note_death(2);
  const Sent sent = job.take();
  const auto settled =
      std::ranges::find_if(sent, [](const auto& one) { return one.second.kind == FrameKind::kSettled; });
  ASSERT_NE(settled, sent.end());
  EXPECT_EQ(settled->second.number, 1U);  // the revocation; the death itself is to be acted on
}

TEST(FailureCoordinator, ACommunicatorIsRevokedOnce) {
  Fixture job(2);
  job.coordinator.handle(0, {FrameKind::kRevoke, 12});
  EXPECT_EQ(job.take().size(), 2U);
  job.coordinator.handle(1, {FrameKind::kRevoke, 12});
  EXPECT_TRUE(job.take().empty());
}

TEST(FailureCoordinator, AnAgreementCombinesWhatTheLivingBring) {
  Fixture job(3);
  job.coordinator.handle(2, part_of("5.0", 0b110, {4, 30, 0, 1, 2}));
  job.coordinator.handle(0, part_of("5.0", 0b011, {2, 31, 0, 1, 2}));
  EXPECT_TRUE(job.take().empty());
  job.coordinator.note_death(1);
  const Sent sent = job.take();
  ASSERT_EQ(sent.size(), 4U);  // of the death first
  EXPECT_EQ(sent[0].second.kind, FrameKind::kDied);
  for (const std::size_t i : {2U, 3U}) {
    const Frame& frame = sent[i].second;
    EXPECT_EQ(frame.kind, FrameKind::kAgreed);
    EXPECT_EQ(frame.key, "5.0");
    EXPECT_EQ(frame.number, 0b010U);
    EXPECT_EQ(unpack_numbers(frame.value), (std::vector<std::uint32_t>{2, 30}));
  }
}

TEST(FailureCoordinator, TheNameOfAnAgreementThatIsOverIsFree) {
  Fixture job(1);
  job.coordinator.handle(0, part_of("5.0", 1, {0, 30, 0}));
  EXPECT_EQ(job.take().size(), 1U);
  job.coordinator.handle(0, part_of("5.0", 2, {0, 31, 0}));
  EXPECT_EQ(job.take().front().second.number, 2U);
}

TEST(FailureCoordinator, RefusesDamagedFrames) {
  Fixture job(2);
  EXPECT_THROW(job.coordinator.handle(0, {FrameKind::kApplied, 1}), std::runtime_error);
  EXPECT_THROW(job.coordinator.handle(0, {FrameKind::kAgree, 1, "5.0", "abc"}), std::runtime_error);
  EXPECT_THROW(job.coordinator.handle(0, part_of("5.0", 1, {0})), std::runtime_error);
  EXPECT_THROW(job.coordinator.handle(0, part_of("5.0", 1, {0, 1, 2})), std::runtime_error);
}

// Three processes that all agree once; process 0 revokes a communicator, and process 2 may die at any time.
class Model {
 public:
  Model() : coordinator_(3, [this](std::uint32_t to, const Frame& frame) { to_[to].push_back(frame); }) {
    from_[0].push_back({FrameKind::kRevoke, 12});
    for (std::uint32_t p = 0; p < 3; ++p) {
      from_[p].push_back(part_of("5.0", 1U << p | 8, {0, 30 + p, 0, 1, 2}));
    }
  }

  // Runs to the end. choose(n) selects the next of n possible events. Appends to `widths` how many were possible at
  // each step.
  template <typename Choose>
  void run(Choose&& choose, std::vector<std::size_t>& widths) {
    for (std::vector<Event> events = possible(); !events.empty(); events = possible()) {
      widths.push_back(events.size());
      perform(events[choose(events.size())]);
    }
  }

  void check() const {
    EXPECT_EQ(heard_[0], heard_[1]) << "all that live hear the same, in the same order";
    for (const std::uint32_t p : {0U, 1U}) {
      EXPECT_EQ(agreed_[p], 1) << "process " << p;
      EXPECT_EQ(notices_[p], applied_[p]);
      EXPECT_EQ(settled_[p], notices_[p]) << "in the end all is settled";
    }
  }

 private:
  enum class Kind : std::uint8_t { to_launcher, to_process, death, end_of_process };
  struct Event {
    Kind kind;
    std::uint32_t process;
  };

  std::vector<Event> possible() const {
    std::vector<Event> events;
    for (std::uint32_t p = 0; p < 3; ++p) {
      if (!from_[p].empty()) {
        events.push_back({Kind::to_launcher, p});
      }
      if (!to_[p].empty() && !(p == 2 && dead_)) {
        events.push_back({Kind::to_process, p});
      }
    }
    if (!dead_) {
      events.push_back({Kind::death, 2});
    } else if (!noted_ && from_[2].empty()) {  // the launcher reads a connection to its end first
      events.push_back({Kind::end_of_process, 2});
    }
    return events;
  }

  void perform(const Event& event) {
    switch (event.kind) {
      case Kind::to_launcher: {
        const Frame frame = from_[event.process].front();
        from_[event.process].pop_front();
        coordinator_.handle(event.process, frame);
        break;
      }
      case Kind::to_process: {
        const Frame frame = to_[event.process].front();
        to_[event.process].pop_front();
        hear(event.process, frame);
        break;
      }
      case Kind::death:
        dead_ = true;
        break;
      case Kind::end_of_process:
        noted_ = true;
        coordinator_.note_death(2);
        break;
    }
  }

  void hear(std::uint32_t p, const Frame& frame) {
    switch (frame.kind) {
      case FrameKind::kDied:
      case FrameKind::kRevoked:
        ++notices_[p];
        heard_[p] += (frame.kind == FrameKind::kDied ? "died " : "revoked ") + std::to_string(frame.number) + ";";
        ++applied_[p];
        from_[p].push_back({FrameKind::kApplied, applied_[p]});
        break;
      case FrameKind::kSettled:
        settled_[p] = frame.number;
        for (std::uint32_t other = 0; other < 3; ++other) {
          EXPECT_TRUE(applied_[other] >= frame.number || (other == 2 && dead_))
              << "settled before all have acted on it";
        }
        break;
      default:
        ++agreed_[p];
        heard_[p] += "agreed " + std::to_string(frame.number) + " after " + std::to_string(notices_[p]) + ";";
    }
  }

  FailureCoordinator coordinator_;
  std::deque<Frame> from_[3], to_[3];
  std::string heard_[3];
  std::uint32_t notices_[3] = {}, applied_[3] = {}, settled_[3] = {};
  int agreed_[3] = {};
  bool dead_ = false, noted_ = false;
};

// The next schedule in lexical order; false after the last one.
bool advance(std::vector<std::size_t>& choices, const std::vector<std::size_t>& widths, std::size_t most) {
  choices.resize(std::min(widths.size(), most), 0);
  while (!choices.empty() && choices.back() + 1 >= widths[choices.size() - 1]) {
    choices.pop_back();
  }
  if (choices.empty()) {
    return false;
  }
  ++choices.back();
  return true;
}

// All orders of the first events, and then one order.
TEST(FailureCoordinator, AllThatLiveHearTheSameInAllOrders) {
  constexpr std::size_t kExplored = 9;
  std::vector<std::size_t> choices;
  std::vector<std::size_t> widths;
  std::size_t schedules = 0;
  do {
    widths.clear();
    Model model;
    std::size_t step = 0;
    model.run([&](std::size_t) { return step < choices.size() ? choices[step++] : 0; }, widths);
    model.check();
    ++schedules;
    ASSERT_FALSE(HasFailure()) << "schedule " << schedules;
  } while (advance(choices, widths, kExplored));
  EXPECT_GT(schedules, 10'000U);
}

TEST(FailureCoordinator, AllThatLiveHearTheSameInRandomOrders) {
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same in each run
  for (int run = 0; run < 20'000; ++run) {
    std::vector<std::size_t> widths;
    Model model;
    model.run([&](std::size_t events) { return random() % events; }, widths);
    model.check();
    ASSERT_FALSE(HasFailure()) << "run " << run;
  }
}

}  // namespace
}  // namespace weft::bootstrap
