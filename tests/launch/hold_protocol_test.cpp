// Explores how threads are stopped and go on: the functions of launch/hold_protocol.hpp over all interleavings of two
// threads that are asked, and one that holds them twice.
#include "launch/hold_protocol.hpp"

#include <array>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "tests/runtime/explorer.hpp"

namespace weft::launch::holding::model {
namespace {

constexpr std::uint8_t kThreads = 2;  // that are asked
constexpr std::uint8_t kHolder = kThreads;
constexpr std::uint8_t kClock = kThreads + 1;
constexpr std::uint8_t kHolds = 2;

// What a test takes out of the protocol, to see that the exploration finds what it is there for.
enum class LeftOut : std::uint8_t {
  nothing,
  number,        // the end of a hold does not change its number
  comparison,    // a thread counts itself whatever the word has become since it looked
  description,   // who holds does not wait until the threads have written down where they are
  wake,          // nobody wakes those that stay
  look_at_word,  // a thread falls asleep whatever the word is by then
};

std::string* told = nullptr;  // what the step that is being taken is, for a person

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
  std::uint8_t number = 0, open = 0, taken = 0;  // the word
  std::uint8_t asked = 0;                        // a bit for each thread that a signal waits for
  std::uint8_t sleepers = 0;                     // in the futex, the same
  std::uint8_t late = 0;                         // no more are waited for in this hold
  std::uint8_t looking = 0;                      // the stacks are being looked at
  std::uint8_t counted = 0;                      // threads in the hold that is looked at, a bit for each
  std::uint8_t holds = 0;
  std::uint8_t broken = 0;
  std::array<std::uint8_t, kThreads> described{};  // by place
  std::array<std::uint8_t, kThreads> who{};        // by place: the thread
  std::array<Thread, kThreads + 1> threads{};
  std::array<std::uint8_t, 3> unused{};  // to a multiple of eight bytes
};

// A Word as a byte of the log, and back.
Word word_of(std::uint8_t code) { return Word{code} / 16 * kOneHold + ((code & 8) != 0 ? kIsOpen : 0) + (code & 7); }

class ModelOperations {
 public:
  ModelOperations(Model& model, exploring::Recorder& recorder, std::uint8_t thread)
      : m_(model), r_(recorder), thread_(thread) {}

  Word word() {
    return word_of(step("reads the word", [&] { return code(); }));
  }
  bool has_place(Word seen) { return (seen & kTaken) < kThreads; }
  bool claim(Word& seen) {
    constexpr std::uint8_t kClaimed = 0xff;
    const std::uint8_t got = step("claims a place", [&] {
      if (word_of(code()) != seen && m_.left_out != LeftOut::comparison) {
        return code();
      }
      m_.who[m_.taken % kThreads] = thread_;
      ++m_.taken;
      return kClaimed;
    });
    seen = got == kClaimed ? seen : word_of(got);
    return got == kClaimed;
  }
  void describe(Word /*place*/) {}
  void announce(Word place) {
    step("announces itself", [&] { return m_.described[place] = 1; });
  }
  void wait(Word seen) {
    const auto mine = static_cast<std::uint8_t>(1U << thread_);
    const bool sleeps = step("falls asleep unless the word has changed", [&] {
                          const bool stays_awake = word_of(code()) != seen && m_.left_out != LeftOut::look_at_word;
                          m_.sleepers = static_cast<std::uint8_t>(m_.sleepers | (stays_awake ? 0 : mine));
                          return static_cast<std::uint8_t>(stays_awake ? 0 : 1);
                        }) != 0;
    if (sleeps) {
      r_.wait_until([&] { return (m_.sleepers & mine) == 0; });
    }
  }
  // The holder's.
  void open() {
    step("opens a hold", [&] {
      m_.described = {};
      m_.late = 0;
      return m_.open = 1;
    });
  }
  void ask() {
    step("sends the signals", [&] { return m_.asked = (1U << kThreads) - 1; });
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
  void wait_for(Word place) {
    if (m_.left_out != LeftOut::description) {
      r_.wait_until([&] { return m_.described[place] != 0; });
    }
  }
  void look(Word count) {
    step("begins to look", [&] {
      m_.looking = 1;
      m_.counted = 0;
      for (Word place = 0; place < count; ++place) {
        m_.broken = m_.described[place] == 0 ? 2 : m_.broken;
        m_.counted = static_cast<std::uint8_t>(m_.counted | 1U << m_.who[place]);
      }
      return 0;
    });
    step("has looked", [&] { return m_.looking = 0; });
  }
  void end() {
    step("ends the hold", [&] {
      m_.number = static_cast<std::uint8_t>(m_.number + (m_.left_out == LeftOut::number ? 0 : 1));
      return m_.open = m_.taken = 0;
    });
  }
  void wake() {
    step("wakes those that stay", [&] { return m_.sleepers = m_.left_out == LeftOut::wake ? m_.sleepers : 0; });
  }

 private:
  std::uint8_t code() const { return static_cast<std::uint8_t>(m_.number * 16 + m_.open * 8 + m_.taken); }
  template <typename Do>
  std::uint8_t step(const char* what, Do&& act) {
    return r_.shared([&] {
      if (told != nullptr) {
        *told = what;
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
    if (choice == kHolder ? holds == kHolds : (asked & mine) == 0) {
      return false;
    }
    asked = choice == kHolder ? asked : static_cast<std::uint8_t>(asked & ~mine);
    thread.busy = 1;
  }
  exploring::Recorder recorder(thread.log);
  ModelOperations op(*this, recorder, static_cast<std::uint8_t>(choice));
  auto act = [&] {
    if (choice == kHolder) {
      op.look(hold(op));
      release(op);
    } else {
      stay(op);
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
  told = &text;
  Model copy = *this;
  copy.take(choice);
  told = nullptr;
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
  for (const LeftOut rule : {LeftOut::number, LeftOut::wake, LeftOut::look_at_word}) {
    EXPECT_EQ(explore(rule).wrong, "a thread stays for ever") << static_cast<int>(rule);
  }
  EXPECT_NE(explore(LeftOut::comparison).wrong, "");
  EXPECT_EQ(explore(LeftOut::description).wrong, "a thread has not said where it is");
}

}  // namespace
}  // namespace weft::launch::holding::model
