// What a worker sleeps on, as a model that tests/runtime/explorer.hpp explores: the inbox, the word of the futex and
// the doorbell; and the operations on it that sleep_protocol.hpp and doorbell_protocol.hpp call.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "runtime/sched/sleep_protocol.hpp"
#include "tests/runtime/explorer.hpp"

namespace weft::runtime {
inline namespace sched {
namespace sleeping::model {

// A rule of the protocol that a test leaves out, to see that the exploration finds the error.
enum class LeftOut : std::uint8_t {
  nothing,
  look_in_arm,           // arm() looks whether the inbox is empty and marks it in two steps
  look_at_word,          // wait() sleeps whatever has happened since the word was read
  count_of_wakeups,      // the waking thread does not change the word before
  look_at_transport,     // nothing is polled any more once the sleep is announced
  fence_in_announce,     // the announcement may lie in the store buffer while the worker looks
  bell_of_other_thread,  // a thread that stood by announces that the worker is awake, although another one stands by
  mutex                  // of the lock
};

enum class Doorbell : std::uint8_t { silent, announced_in_buffer, announced };

struct SleepState {
  std::uint8_t items = 0;  // in the inbox
  std::uint8_t armed = 0;
  std::uint8_t word = 0;
  std::uint8_t sleepers = 0;     // in the futex, a bit for each thread
  std::uint8_t bytes = 0;        // in the transport
  std::uint8_t interrupted = 0;  // ranks whose sleep a signal handler has ended
  Doorbell doorbell = Doorbell::silent;
  LeftOut left_out = LeftOut::nothing;

  // The consumer's exchange has reached the other processes now; false if it had before.
  bool write_store_buffer() {
    const bool was_in_buffer = doorbell == Doorbell::announced_in_buffer;
    doorbell = was_in_buffer ? Doorbell::announced : doorbell;
    return was_in_buffer;
  }
};

// What the step that is being taken is, for a person; null: nobody asks.
inline std::string* told = nullptr;

struct Item {};

class SleepOperations {
 public:
  SleepOperations(SleepState& state, exploring::Recorder& recorder, std::uint8_t thread)
      : s_(state), r_(recorder), thread_(thread) {}

  // A producer's.
  bool append(Item& /*item*/) {
    return step("appends an item", [&] {
      ++s_.items;
      return std::exchange(s_.armed, std::uint8_t{0});
    });
  }
  void count_wakeup() {
    if (s_.left_out != LeftOut::count_of_wakeups) {
      step("counts a wake-up", [&] { return ++s_.word; });
    }
  }
  void wake_sleeper() {
    step("wakes the sleeper, if there is one", [&] { return s_.sleepers = 0; });
  }
  // The other process's.
  void put_bytes() {
    step("puts bytes down", [&] { return ++s_.bytes; });
  }
  bool is_asleep() {
    return step("looks whether the consumer sleeps", [&] { return byte(s_.doorbell == Doorbell::announced); });
  }
  bool claim_sleeper() {
    return step("claims the sleeper",
                [&] { return byte(std::exchange(s_.doorbell, Doorbell::silent) == Doorbell::announced); });
  }
  // A signal handler's.
  void interrupt_sleep() {
    step("ends a rank's sleep", [&] { return ++s_.interrupted; });
  }
  // The consumer's.
  bool arm() {
    if (s_.left_out == LeftOut::look_in_arm) {
      return step("looks into the inbox", [&] { return byte(s_.items == 0); }) &&
             step("arms the inbox", [&] { return s_.armed = 1; });
    }
    return step("arms the inbox if it is empty", [&] {
      s_.write_store_buffer();
      return s_.armed = byte(s_.items == 0);
    });
  }
  void disarm() {
    step("disarms the inbox", [&] { return s_.armed = 0; });
  }
  void announce_sleep() {
    step("announces its sleep", [&] {
      s_.doorbell = s_.left_out == LeftOut::fence_in_announce ? Doorbell::announced_in_buffer : Doorbell::announced;
      return 0;
    });
  }
  void stay_awake() {
    step("says that it is awake", [&] {
      s_.doorbell = Doorbell::silent;
      return 0;
    });
  }
  bool nothing_to_poll() {
    return s_.left_out == LeftOut::look_at_transport || step("looks for bytes", [&] { return byte(s_.bytes == 0); });
  }
  bool is_armed() {
    return step("looks whether the inbox is armed", [&] { return s_.armed; });
  }
  bool was_rung() {
    return step("looks whether somebody has rung", [&] { return byte(s_.doorbell == Doorbell::silent); });
  }
  bool is_due() {
    return step("looks whether a rank's sleep is over", [&] { return s_.interrupted; });
  }
  bool may_wake() { return !is_armed() || was_rung() || is_due(); }
  std::uint8_t wakeups() {
    return r_.shared([&] { return tell("reads the word", s_.word); });
  }
  void wait(std::uint8_t seen) {
    const auto mine = static_cast<std::uint8_t>(1U << thread_);
    const bool sleeps = step("falls asleep unless the word has changed", [&] {
      const bool stays = s_.word != seen && s_.left_out != LeftOut::look_at_word;
      s_.sleepers = static_cast<std::uint8_t>(s_.sleepers | (stays ? 0 : mine));
      return byte(!stays);
    });
    if (sleeps) {
      r_.wait_until([&] { return tell("wakes up", (s_.sleepers & mine) == 0); });
    }
  }
  // What there was.
  std::uint8_t empty_inbox() { return take("empties the inbox", s_.items); }
  std::uint8_t poll() { return take("polls", s_.bytes); }
  std::uint8_t make_due_ready() { return take("looks for ranks whose sleep is over", s_.interrupted); }

 protected:
  static constexpr std::uint8_t byte(bool fact) { return fact ? 1 : 0; }

  template <typename Value>
  static Value tell(const char* what, Value value) {
    if (told != nullptr) {
      *told = what;
    }
    return value;
  }
  template <typename Do>
  bool step(const char* what, Do&& act) {
    return r_.shared([&] { return tell(what, static_cast<std::uint8_t>(act())); }) != 0;
  }
  std::uint8_t take(const char* what, std::uint8_t& count) {
    return r_.shared([&] { return tell(what, std::exchange(count, std::uint8_t{0})); });
  }
  exploring::Recorder& recorder() { return r_; }

 private:
  SleepState& s_;
  exploring::Recorder& r_;
  const std::uint8_t thread_;
};

}  // namespace sleeping::model
}  // namespace sched
}  // namespace weft::runtime
