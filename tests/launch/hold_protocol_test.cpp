// Explores how threads are stopped and released: runs the functions of launch/hold_protocol.hpp over all interleavings
// of two threads that get signals and a holder that holds them twice.
#include "launch/hold_protocol.hpp"

#include <array>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "tests/runtime/explorer.hpp"

namespace weft::launch::holding::model {
namespace {

constexpr std::uint8_t kThreads = 2;  // that get signals
constexpr std::uint8_t kHolder = kThreads;
constexpr std::uint8_t kClock = kThreads + 1;
constexpr std::uint8_t kHolds = 2;

// The rule that a test takes out of the protocol, to see that the exploration finds what the rule prevents.
enum class LeftOut : std::uint8_t {
  nothing,
  generation,   // the end of a hold does not change the generation
  comparison,   // a thread counts itself even if the word has changed since it was read
  description,  // the holder does not wait until the threads have written down where they are
  wake,         // nobody wakes the threads that are held
  word_check,   // a thread falls asleep even if the word has changed
};

std::string* step_text = nullptr;  // set while a step is to be described: where its description goes

struct Model {
  struct Thread {
    std::uint8_t busy = 0;
    exploring::Log log;
  };

  explicit Model(LeftOut rule) : left_out(rule) {}

  std::uint32_t choices() const { return kThreads + 2; }
  bool take(std::uint32_t choice);
  std::string describe(std::uint32_t choice) const;
  std::string wrong() const {
    return broken == 0 ? "" : broken == 1 ? "a thread that is held went on" : "a thread has not said where it is";
  }
  std::string wrong_at_end() const {
    for (const Thread& thread : threads) {
      if (thread.busy != 0) {
        return "a thread stays for ever";
      }
    }
    return holds == kHolds ? "" : "not all holds were made";
  }

  LeftOut left_out;
  std::uint8_t generation = 0, open = 0, taken = 0;  // the word
  std::uint8_t signalled = 0;                        // a bit for each thread that has a pending signal
  std::uint8_t sleepers = 0;                         // a bit for each thread that sleeps in the futex
  std::uint8_t late = 0;                             // the time is up: the holder waits for no more threads
  std::uint8_t looking = 0;                          // the holder reads the stacks
  std::uint8_t counted = 0;                          // a bit for each thread whose stack it reads
  std::uint8_t holds = 0;
  std::uint8_t broken = 0;
  std::array<std::uint8_t, kThreads> described{};  // by slot
  std::array<std::uint8_t, kThreads> owner{};      // by slot: the thread
  std::array<Thread, kThreads + 1> threads{};
  std::array<std::uint8_t, 3> unused{};  // to a multiple of eight bytes
};

// The Word that a byte of the log stands for; the inverse of ModelOperations::code().
Word word_of(std::uint8_t code) {
  return Word{code} / 16 * kOneGeneration + ((code & 8) != 0 ? kOpenBit : 0) + (code & 7);
}

class ModelOperations {
 public:
  ModelOperations(Model& model, exploring::Recorder& recorder, std::uint8_t thread)
      : m_(model), r_(recorder), thread_(thread) {}

  Word word() {
    return word_of(step("reads the word", [&] { return code(); }));
  }
  bool has_slot(Word seen) { return (seen & kCountMask) < kThreads; }
  bool claim(Word& seen) {
    constexpr std::uint8_t kClaimed = 0xff;
    const std::uint8_t got = step("claims a slot", [&] {
      if (word_of(code()) != seen && m_.left_out != LeftOut::comparison) {
        return code();
      }
      m_.owner[m_.taken % kThreads] = thread_;
      ++m_.taken;
      return kClaimed;
    });
    seen = got == kClaimed ? seen : word_of(got);
    return got == kClaimed;
  }
  void describe(Word /*slot*/) {}
  void announce(Word slot) {
    step("announces itself", [&] { return m_.described[slot] = 1; });
  }
  void wait(Word seen) {
    const auto mine = static_cast<std::uint8_t>(1U << thread_);
    const bool sleeps = step("falls asleep unless the word has changed", [&] {
                          const bool stays_awake = word_of(code()) != seen && m_.left_out != LeftOut::word_check;
                          m_.sleepers = static_cast<std::uint8_t>(m_.sleepers | (stays_awake ? 0 : mine));
                          return static_cast<std::uint8_t>(stays_awake ? 0 : 1);
                        }) != 0;
    if (sleeps) {
      r_.wait_until([&] { return (m_.sleepers & mine) == 0; });
    }
  }
  // Operations of the holder.
  void open() {
    step("opens a hold", [&] {
      m_.described = {};
      m_.late = 0;
      return m_.open = 1;
    });
  }
  void send_signals() {
    step("sends the signals", [&] { return m_.signalled = (1U << kThreads) - 1; });
  }
  bool waits_for_more() {
    r_.wait_until([&] { return m_.taken >= kThreads || m_.late != 0; });
    return false;
  }
  Word close() {
    return word_of(step("closes the hold", [&] {
      const std::uint8_t before = code();
      m_.open = 0;
      return before;
    }));
  }
  void wait_for(Word slot) {
    if (m_.left_out != LeftOut::description) {
      r_.wait_until([&] { return m_.described[slot] != 0; });
    }
  }
  void read_stacks(Word count) {
    step("begins to look", [&] {
      m_.looking = 1;
      m_.counted = 0;
      for (Word slot = 0; slot < count; ++slot) {
        m_.broken = m_.described[slot] == 0 ? 2 : m_.broken;
        m_.counted = static_cast<std::uint8_t>(m_.counted | 1U << m_.owner[slot]);
      }
      return 0;
    });
    step("has looked", [&] { return m_.looking = 0; });
  }
  void end() {
    step("ends the hold", [&] {
      m_.generation = static_cast<std::uint8_t>(m_.generation + (m_.left_out == LeftOut::generation ? 0 : 1));
      return m_.open = m_.taken = 0;
    });
  }
  void wake() {
    step("wakes those that stay", [&] { return m_.sleepers = m_.left_out == LeftOut::wake ? m_.sleepers : 0; });
  }

 private:
  std::uint8_t code() const { return static_cast<std::uint8_t>(m_.generation * 16 + m_.open * 8 + m_.taken); }
  template <typename Do>
  std::uint8_t step(const char* what, Do&& act) {
    return r_.shared([&] {
      if (step_text != nullptr) {
        *step_text = what;
      }
      return static_cast<std::uint8_t>(act());
    });
  }

  Model& m_;
  exploring::Recorder& r_;
  const std::uint8_t thread_;
};

bool Model::take(std::uint32_t choice) {
  if (choice == kClock) {
    const bool passes = open != 0 && late == 0;
    late = 1;
    return passes;
  }
  Thread& thread = threads[choice];
  if (thread.busy == 0) {
    const auto mine = static_cast<std::uint8_t>(1U << choice);
    if (choice == kHolder ? holds == kHolds : (signalled & mine) == 0) {
      return false;
    }
    signalled = choice == kHolder ? signalled : static_cast<std::uint8_t>(signalled & ~mine);
    thread.busy = 1;
  }
  exploring::Recorder recorder(thread.log);
  ModelOperations op(*this, recorder, static_cast<std::uint8_t>(choice));
  auto act = [&] {
    if (choice == kHolder) {
      op.read_stacks(hold(op));
      release(op);
    } else {
      wait_until_released(op);
    }
  };
  if (!recorder.run(act)) {
    return recorder.has_stepped();
  }
  thread.busy = 0;
  thread.log = {};
  holds = static_cast<std::uint8_t>(holds + (choice == kHolder ? 1 : 0));
  if (choice != kHolder && looking != 0 && (counted & 1U << choice) != 0) {
    broken = 1;
  }
  return true;
}

std::string Model::describe(std::uint32_t choice) const {
  constexpr std::array<const char*, kThreads + 2> kNames{"thread 0", "thread 1", "the holder", "the clock"};
  std::string text = "goes on";
  step_text = &text;
  Model copy = *this;
  copy.take(choice);
  step_text = nullptr;
  return fmt::format("{} {}", kNames[choice], text);
}

exploring::Outcome explore(LeftOut rule) { return exploring::Explorer<Model>(Model(rule)).run(); }

TEST(HoldProtocol, ThreadsThatAreCountedStayUntilTheEnd) {
  const exploring::Outcome outcome = explore(LeftOut::nothing);
  EXPECT_EQ(outcome.wrong, "") << outcome.text();
  EXPECT_GT(outcome.states, 1000U);
  fmt::print("{}", outcome.text());
}

TEST(HoldProtocol, NeedsEachOfItsRules) {
  for (const LeftOut rule : {LeftOut::generation, LeftOut::wake, LeftOut::word_check}) {
    EXPECT_EQ(explore(rule).wrong, "a thread stays for ever") << static_cast<int>(rule);
  }
  EXPECT_NE(explore(LeftOut::comparison).wrong, "");
  EXPECT_EQ(explore(LeftOut::description).wrong, "a thread has not said where it is");
}

}  // namespace
}  // namespace weft::launch::holding::model
