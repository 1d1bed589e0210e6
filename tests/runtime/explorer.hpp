// Explores all sequentially consistent interleavings of a few threads that run functions of the runtime against a
// model.
//
// A Model is a plain value: what the threads share, what each has for itself, and for each thread the Operation it is
// in. The functions know nothing of this: they call the model's operations, of which each tells the Recorder below what
// it returns. A thread takes a step by running its function from the start: operations that it has done before give
// back what they gave then and do nothing; the next one that others can notice is done, with what follows and only the
// thread itself can notice; then the function is left by longjmp (an exception would take most of the time). So a state
// holds no stack, and is copied, hashed and compared as bytes.
#pragma once

#include <array>
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace weft::exploring {

// What a thread's function has been told so far.
struct Log {
  static constexpr std::size_t kMost = 120;
  std::uint8_t size = 0;
  std::array<std::uint8_t, kMost> values{};
};

// The functions that are explored keep no object with a destructor while they call an operation.
class Recorder {
 public:
  explicit Recorder(Log& log) : log_(log) {}

  // Runs a function of the thread's until it has taken a step; whether the function has returned.
  template <typename Function>
  [[gnu::noinline]] bool run(Function& function) {
    if (setjmp(paused_) != 0) {  // NOLINT(cert-err52-cpp): see above
      return false;
    }
    function();
    return true;
  }

  // An operation that other threads can notice, or that notices them.
  template <typename Do>
  std::uint8_t shared(Do&& act) {
    if (next_ < log_.size) {
      return log_.values[next_++];
    }
    if (done_) {
      std::longjmp(paused_, 1);  // NOLINT(cert-err52-cpp)
    }
    done_ = true;
    return note(act());
  }
  // One that must not be done yet: the thread waits. `may` reads the shared state.
  template <typename May>
  void wait_until(May&& may) {
    if (next_ < log_.size) {
      ++next_;
      return;
    }
    if (done_ || !may()) {
      std::longjmp(paused_, 1);  // NOLINT(cert-err52-cpp)
    }
    done_ = true;
    note(0);
  }
  // Only the thread itself can notice it.
  template <typename Do>
  std::uint8_t own(Do&& act) {
    return next_ < log_.size ? log_.values[next_++] : note(act());
  }
  // It did something at all.
  bool has_stepped() const { return done_; }

 private:
  std::uint8_t note(std::uint8_t value) {
    if (log_.size == Log::kMost) {
      throw std::length_error("an operation of the model is too long");
    }
    log_.values[log_.size++] = value;
    return log_.values[next_++];
  }

  Log& log_;
  std::jmp_buf paused_{};
  std::size_t next_ = 0;
  bool done_ = false;
};

struct Outcome {
  std::uint64_t states = 0;
  std::uint64_t steps = 0;
  std::string wrong;                  // empty: nothing
  std::vector<std::string> schedule;  // the shortest that leads there

  std::string text() const {
    std::string all = fmt::format("{} states, {} steps{}{}\n", states, steps, wrong.empty() ? "" : ": ", wrong);
    for (std::size_t i = 0; i < schedule.size(); ++i) {
      all += fmt::format("  {:2} {}\n", i + 1, schedule[i]);
    }
    return all;
  }
};

// Open addressing; a state is known by 64 bits of its hash. With a million states two of them collide, and one is
// overlooked, once in 30 million runs.
class Visited {
 public:
  bool add(std::uint64_t hash) {
    if (2 * (count_ + 1) > slots_.size()) {
      grow();
    }
    return put(hash | 1);
  }

 private:
  bool put(std::uint64_t hash) {
    for (std::size_t at = hash >> shift_;; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at] == hash) {
        return false;
      }
      if (slots_[at] == 0) {
        slots_[at] = hash;
        ++count_;
        return true;
      }
    }
  }
  void grow() {
    std::vector<std::uint64_t> old(slots_.size() * 2);
    std::swap(old, slots_);
    --shift_;
    count_ = 0;
    for (const std::uint64_t hash : old) {
      if (hash != 0) {
        put(hash);
      }
    }
  }

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(1U << 16);
  int shift_ = 48;
  std::size_t count_ = 0;
};

template <typename Model>
std::uint64_t hash_of(const Model& model) {
  static_assert(std::has_unique_object_representations_v<Model>, "padding has no value");
  static_assert(sizeof(Model) % sizeof(std::uint64_t) == 0);
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&model);
  for (std::size_t at = 0; at < sizeof(Model); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, sizeof word);
    hash = (hash ^ word) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return (hash ^ (hash >> 29)) * 0xc4ceb9fe1a85ec53;
}

// Breadth first, so that what it finds is shortest. A Model has
//   std::uint32_t choices() const               steps that can be tried now
//   bool take(std::uint32_t choice)             tries one; false: that one cannot be taken now, the state is void
//   std::string describe(std::uint32_t choice) const  what that step is, for a person
//   std::string wrong() const                   what must not be; empty: nothing
//   std::string wrong_at_end() const            the same where no step can be taken
template <typename Model>
class Explorer {
 public:
  explicit Explorer(const Model& first, std::uint64_t most_states = 20'000'000) : first_(first), most_(most_states) {}

  Outcome run() {
    visited_.add(hash_of(first_));
    add(0, 0);
    std::vector<Model> level{first_}, next;
    for (std::uint64_t number = 0; !level.empty(); std::swap(level, next)) {
      next.clear();
      for (const Model& state : level) {
        if (!expand(state, number++, next)) {
          return outcome_;
        }
      }
    }
    return outcome_;
  }

 private:
  struct Came {
    std::uint32_t from = 0;
    std::uint32_t choice = 0;
  };

  void add(std::uint64_t from, std::uint32_t choice) {
    came_.push_back({static_cast<std::uint32_t>(from), choice});
    ++outcome_.states;
  }

  // False when something is wrong.
  bool expand(const Model& state, std::uint64_t number, std::vector<Model>& next) {
    bool any = false;
    const std::uint32_t choices = state.choices();
    for (std::uint32_t choice = 0; choice < choices; ++choice) {
      Model after = state;
      if (!after.take(choice)) {
        continue;
      }
      any = true;
      ++outcome_.steps;
      if (std::string wrong = after.wrong(); !wrong.empty()) {
        return found(std::move(wrong), number, choice);
      }
      if (visited_.add(hash_of(after))) {
        add(number, choice);
        next.push_back(after);
      }
    }
    if (std::string wrong = any ? std::string() : state.wrong_at_end(); !wrong.empty()) {
      return found(std::move(wrong), number, kNone);
    }
    if (outcome_.states > most_) {
      return found("too many states", number, kNone);
    }
    return true;
  }

  bool found(std::string wrong, std::uint64_t number, std::uint32_t last) {
    outcome_.wrong = std::move(wrong);
    std::vector<std::uint32_t> choices;
    if (last != kNone) {
      choices.push_back(last);
    }
    for (std::uint64_t at = number; at != 0; at = came_[at].from) {
      choices.push_back(came_[at].choice);
    }
    Model now = first_;
    for (auto choice = choices.rbegin(); choice != choices.rend(); ++choice) {
      outcome_.schedule.push_back(now.describe(*choice));
      now.take(*choice);
    }
    return false;
  }

  static constexpr std::uint32_t kNone = UINT32_MAX;

  const Model first_;
  const std::uint64_t most_;
  Visited visited_;
  std::vector<Came> came_;  // by state, in the order in which they were found
  Outcome outcome_;
};

}  // namespace weft::exploring
