// Explores how a worker goes to sleep and is woken, by items in its inbox, by another process that rings its doorbell
// and by a signal handler: the functions of runtime/sched/sleep_protocol.hpp and runtime/net/doorbell_protocol.hpp over
// all interleavings of these.
#include "runtime/sched/sleep_protocol.hpp"

#include <array>
#include <cstdint>
#include <numeric>

#include <gtest/gtest.h>

#include "runtime/net/doorbell_protocol.hpp"
#include "tests/runtime/explorer.hpp"
#include "tests/runtime/sched/sleep_model.hpp"

namespace weft::runtime {
inline namespace sched {
namespace sleeping::model {
namespace {

constexpr std::uint8_t kProducers = 2;
constexpr std::uint8_t kConsumer = kProducers;
constexpr std::uint8_t kRinger = kProducers + 1;
constexpr std::uint8_t kHandler = kProducers + 2;
constexpr std::uint8_t kThreads = kProducers + 3;

// What each has for the consumer.
using ToSend = std::array<std::uint8_t, kThreads>;
constexpr ToSend kItemsAndBytes{2, 1, 0, 1, 0};
constexpr ToSend kOneOfEach{1, 0, 0, 1, 1};
constexpr ToSend kItemsAndSignals{1, 1, 0, 0, 2};

struct Model {
  // Of a thread: what it is in the middle of.
  struct Thread {
    std::uint8_t busy = 0;
    std::uint8_t sent = 0;
    exploring::Log log;
  };

  Model(const ToSend& what, LeftOut rule) : to_send(what) { sleep.left_out = rule; }

  std::uint32_t choices() const { return kThreads + 1; }  // the last: the consumer's store buffer is written
  bool take(std::uint32_t choice);
  std::string describe(std::uint32_t choice) const;
  std::string wrong() const { return {}; }
  std::string wrong_at_end() const { return is_over() ? "" : "the consumer sleeps although something has come"; }
  bool is_over() const { return consumed == std::accumulate(to_send.begin(), to_send.end(), 0); }

  SleepState sleep;
  std::array<Thread, kThreads> threads{};
  ToSend to_send;
  std::uint8_t consumed = 0;
  std::array<std::uint8_t, 3> unused{};  // to a multiple of eight bytes
};

class Operations : public SleepOperations {
 public:
  Operations(Model& model, exploring::Recorder& recorder, std::uint8_t thread)
      : SleepOperations(model.sleep, recorder, thread), m_(model) {}

  void consume() {
    const int all = empty_inbox() + poll() + make_due_ready();
    recorder().own([&] { return m_.consumed = static_cast<std::uint8_t>(m_.consumed + all); });
  }

 private:
  Model& m_;
};

// One round of what the thread does again and again.
void act(Operations& op, std::uint32_t thread) {
  Item item;
  if (thread < kProducers) {
    push(op, item);
  } else if (thread == kRinger) {
    op.put_bytes();
    net::ringing::ring(op);
  } else if (thread == kHandler) {
    op.interrupt_sleep();
    wake(op);
  } else {
    op.consume();
    if (announce_if_idle(op)) {
      sleep(op);
      op.stay_awake();
    }
  }
}

bool Model::take(std::uint32_t choice) {
  if (choice == kThreads) {
    return sleep.write_store_buffer();
  }
  Thread& thread = threads[choice];
  if (thread.busy == 0) {
    if (choice == kConsumer ? is_over() : thread.sent == to_send[choice]) {
      return false;
    }
    thread.sent = choice == kConsumer ? thread.sent : static_cast<std::uint8_t>(thread.sent + 1);
    thread.busy = 1;
  }
  exploring::Recorder recorder(thread.log);
  Operations op(*this, recorder, static_cast<std::uint8_t>(choice));
  auto acts = [&] { act(op, choice); };
  if (!recorder.run(acts)) {
    return recorder.has_stepped();
  }
  thread.busy = 0;
  thread.log = {};
  return true;
}

std::string Model::describe(std::uint32_t choice) const {
  constexpr std::array<const char*, kThreads + 1> kNames{"producer 0",       "producer 1",
                                                         "the consumer",     "the other process",
                                                         "a signal handler", "the consumer's store buffer"};
  std::string text = "is written";
  told = &text;
  Model copy = *this;
  copy.take(choice);
  told = nullptr;
  return fmt::format("{} {}", kNames[choice], text);
}

exploring::Outcome explore(const ToSend& what, LeftOut rule) {
  return exploring::Explorer<Model>(Model(what, rule)).run();
}

void expect_no_lost_wakeup(const ToSend& what) {
  const exploring::Outcome outcome = explore(what, LeftOut::nothing);
  EXPECT_EQ(outcome.wrong, "") << outcome.text();
  EXPECT_GT(outcome.states, 1000U);
  fmt::print("{}", outcome.text());
}

// Prints the schedule, for a person who wants to know why there is the rule.
void expect_lost_wakeup(LeftOut rule) {
  const exploring::Outcome outcome = explore(kItemsAndBytes, rule);
  EXPECT_EQ(outcome.wrong, "the consumer sleeps although something has come");
  fmt::print("{}", outcome.text());
}

TEST(SleepProtocol, NoWakeupIsLost) {
  expect_no_lost_wakeup(kItemsAndBytes);
  expect_no_lost_wakeup(kOneOfEach);
  expect_no_lost_wakeup(kItemsAndSignals);
}

TEST(SleepProtocol, WithoutTheLookInArm) { expect_lost_wakeup(LeftOut::look_in_arm); }
TEST(SleepProtocol, WithoutTheLookAtTheWord) { expect_lost_wakeup(LeftOut::look_at_word); }
TEST(SleepProtocol, WithoutTheCountOfWakeups) { expect_lost_wakeup(LeftOut::count_of_wakeups); }
TEST(SleepProtocol, WithoutTheLookAtTheTransport) { expect_lost_wakeup(LeftOut::look_at_transport); }
TEST(SleepProtocol, WithoutTheFenceInAnnounce) { expect_lost_wakeup(LeftOut::fence_in_announce); }

}  // namespace
}  // namespace sleeping::model
}  // namespace sched
}  // namespace weft::runtime
