#include "tests/runtime/sched/lock_model.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>

#include "runtime/net/doorbell_protocol.hpp"
#include "runtime/sched/lock_protocol.hpp"

namespace weft::runtime {
inline namespace sched {
namespace locking::model {
namespace {

using exploring::Recorder;
using sleeping::model::Item;
using sleeping::model::told;

class Operations : public sleeping::model::SleepOperations {
 public:
  Operations(Model& model, Recorder& recorder, std::uint8_t thread)
      : SleepOperations(model.sleep, recorder, thread), m_(model), r_(recorder) {}

  // Other threads see that the mutex is free only by taking it.
  template <typename Act>
  auto guarded(Act&& act) {
    if (m_.sleep.left_out != LeftOut::mutex) {
      r_.wait_until([&] { return tell("takes the mutex", std::exchange(m_.mutex, byte(true)) == 0); });
    }
    if constexpr (std::is_void_v<decltype(act())>) {
      act();
      own([&] { return m_.mutex = 0; });
    } else {
      const auto result = act();
      own([&] { return m_.mutex = 0; });
      return result;
    }
  }
  bool is_taken() {
    return guarded_state([&] { return m_.taken; });
  }
  void set_taken(bool taken) {
    guarded_state([&] { return m_.taken = byte(taken); });
  }
  bool is_ending() {
    return guarded_state([&] { return m_.ending; });
  }
  void set_ending() {
    guarded_state([&] { return m_.ending = 1; });
  }
  bool has_waiting() {
    return guarded_state([&] { return m_.waiting.front(); });
  }
  void enqueue(Turn turn) {
    guarded_state([&] {
      auto* const place = std::find(m_.waiting.begin(), m_.waiting.end() - 1, 0);
      return *place = static_cast<std::uint8_t>(turn.thread + 1);
    });
  }
  void grant_next() {
    grant([&] {
      const std::uint8_t next = m_.waiting.front();
      std::rotate(m_.waiting.begin(), m_.waiting.begin() + 1, m_.waiting.end());
      m_.waiting.back() = 0;
      return next;
    });
  }
  bool has_standby() {
    return guarded_state([&] { return m_.standby; });
  }
  bool is_standby(const WorkerThread& me) {
    return guarded_state([&] { return byte(m_.standby == me.turn.thread + 1); });
  }
  void set_standby(const WorkerThread& me) {
    guarded_state([&] { return m_.standby = static_cast<std::uint8_t>(me.turn.thread + 1); });
  }
  void clear_standby() {
    guarded_state([&] { return m_.standby = 0; });
  }
  void grant_standby() {
    grant([&] { return std::exchange(m_.standby, std::uint8_t{0}); });
  }
  void add_spare(const WorkerThread& me) {
    guarded_state([&] { return m_.spare = static_cast<std::uint8_t>(me.turn.thread + 1); });
  }
  bool grant_spare() {
    if (!guarded_state([&] { return m_.spare; })) {
      return false;
    }
    grant([&] { return std::exchange(m_.spare, std::uint8_t{0}); });
    return true;
  }
  bool start_thread() {
    if (!guarded_state([&] { return byte(m_.further == Further::none && m_.ending == 0); })) {
      return false;
    }
    grant([&] {
      m_.further = Further::started;
      return static_cast<std::uint8_t>(kFurther + 1);
    });
    return true;
  }
  void count_asleep() {}
  void count_awake() {}
  bool take_grant(Turn turn) {
    return step("looks whether it has been granted the lock",
                [&] { return std::exchange(m_.threads[turn.thread].is_granted, std::uint8_t{0}); });
  }
  void wait_for_turn(Turn turn) {
    r_.wait_until([&] {
      return tell("goes on in its turn", std::exchange(m_.threads[turn.thread].is_granted, std::uint8_t{0}) != 0);
    });
  }

  // What threads do with the lock.
  void begin() {
    step("has the lock", [&] { return ++m_.inside; });
  }
  void end() {
    own([&] { return --m_.inside; });
  }
  void consume(Operations& op) {
    const int received = poll() + make_due_ready();
    const int items = empty_inbox();
    const bool wakes = own([&] {
      m_.consumed = static_cast<std::uint8_t>(m_.consumed + received + items);
      m_.stopping = byte(m_.consumed > m_.expected);
      m_.has_arrived = byte(m_.has_arrived != 0 || items != 0);
      m_.ready = 0;
      return items != 0 ? std::exchange(m_.caller_waits, std::uint8_t{0}) : 0;
    });
    if (wakes) {
      Turn turn{kCaller};
      locking::enqueue(op, turn);
    }
  }
  bool is_stopping() {
    return own([&] { return m_.stopping; });
  }
  void retire(std::uint8_t thread) {
    own([&] { return m_.threads[thread].rounds_left = 0; });
  }
  bool begins_program(std::uint8_t thread) {
    return thread == kOwn && own([&] { return m_.programs; });
  }
  void end_program() {
    own([&] { return --m_.programs; });
  }
  void make_ready() {
    own([&] { return m_.ready = 1; });
  }
  bool call_waits() {
    return own([&] {
      m_.caller_waits = byte(m_.call_waits != 0 && m_.has_arrived == 0);
      return m_.caller_waits;
    });
  }
  bool needs_a_thread() {
    return own([&] { return byte(m_.ready != 0 || m_.stopping != 0); });
  }

 private:
  template <typename Do>
  bool own(Do&& act) {
    return r_.own([&] { return static_cast<std::uint8_t>(act()); }) != 0;
  }
  // A step that other threads can see, if the mutex is left out.
  template <typename Do>
  bool guarded_state(Do&& act) {
    return m_.sleep.left_out == LeftOut::mutex ? step("looks who has the lock, or writes it down", act) : own(act);
  }
  template <typename Choose>
  void grant(Choose&& choose) {
    step("grants the lock to another thread", [&] {
      const std::uint8_t chosen = choose();
      return chosen == 0 ? 0 : m_.threads[chosen - 1U].is_granted = 1;
    });
  }

  Model& m_;
  Recorder& r_;
};

// One round of WorkerThreads::take_turns().
void work(Operations& op, WorkerThread& me, LeftOut left_out) {
  yield(op, me.turn);
  op.begin();
  op.consume(op);
  const bool stops = op.is_stopping();
  const bool leaves = !stops && op.begins_program(me.turn.thread);
  const bool has_work = op.needs_a_thread();
  op.end();
  if (stops) {
    op.retire(me.turn.thread);
    retire(op);
  } else if (leaves) {
    release(op, has_work);
    acquire(op, me.turn);
    op.end_program();
  } else {
    stand_by(op, me, false);
    if (left_out == LeftOut::bell_of_other_thread) {
      op.stay_awake();
    }
  }
}

// A call by a thread of a rank.
void call(Operations& op, Turn& turn) {
  acquire(op, turn);
  op.begin();
  if (op.call_waits()) {
    const bool has_work = op.needs_a_thread();
    op.end();
    release(op, has_work);
    op.wait_for_turn(turn);
    op.begin();
  }
  op.make_ready();
  op.end();
  release(op, true);
}

void act(Operations& op, std::uint8_t thread, const Model& model) {
  WorkerThread me{{thread}};
  Item item;
  switch (thread) {
    case kFurther:
      if (model.further == Further::started) {
        op.wait_for_turn(me.turn);
      }
      return work(op, me, model.sleep.left_out);
    case kOwn:
      return work(op, me, model.sleep.left_out);
    case kCaller:
      return call(op, me.turn);
    case kProducer:
      return sleeping::push(op, item);
    case kRinger:
      op.put_bytes();
      net::ringing::ring(op);
      return;
    default:
      op.interrupt_sleep();
      sleeping::wake(op);
  }
}

}  // namespace

Model::Model(const Setting& setting)
    : programs(setting.programs),
      expected(static_cast<std::uint8_t>(setting.items + setting.messages + setting.signals)),
      call_waits(setting.waits) {
  sleep.left_out = setting.left_out;
  threads[kOwn].rounds_left = threads[kFurther].rounds_left = 1;
  threads[kCaller].rounds_left = static_cast<std::uint8_t>(setting.calls + setting.waits);
  threads[kProducer].rounds_left = static_cast<std::uint8_t>(setting.items + 1);  // the last one ends the worker
  threads[kRinger].rounds_left = setting.messages;
  threads[kHandler].rounds_left = setting.signals;
}

bool Model::may_begin(std::uint32_t thread) const {
  if (threads[thread].rounds_left == 0 || (thread == kFurther && further == Further::none)) {
    return false;
  }
  // The worker ends once its ranks have, and with them their calls.
  const bool is_end = thread == kProducer && threads[kProducer].rounds_left == 1;
  return !is_end || (all_has_come() && programs == 0 && threads[kCaller].rounds_left == 0);
}

void Model::end_round(std::uint32_t thread) {
  threads[thread].busy = 0;
  threads[thread].log = {};
  if (thread == kFurther) {
    further = Further::running;
  } else if (thread != kOwn) {
    --threads[thread].rounds_left;
  }
}

bool Model::take(std::uint32_t choice) {
  Thread& thread = threads[choice];
  if (thread.busy == 0 && !may_begin(choice)) {
    return false;
  }
  thread.busy = 1;
  Recorder recorder(thread.log);
  Operations op(*this, recorder, static_cast<std::uint8_t>(choice));
  auto acts = [&] { act(op, static_cast<std::uint8_t>(choice), *this); };
  if (!recorder.run(acts)) {
    return recorder.has_stepped();
  }
  end_round(choice);
  return true;
}

std::string Model::describe(std::uint32_t choice) const {
  constexpr std::array<const char*, kThreads> kNames{"the worker's own thread", "its further thread",
                                                     "the rank's thread",       "a producer",
                                                     "the other process",       "a signal handler"};
  std::string text;
  told = &text;
  Model copy = *this;
  copy.take(choice);
  told = nullptr;
  return fmt::format("{} {}", kNames[choice], text);
}

std::string Model::wrong() const {
  if (inside > 1) {
    return "two threads have the worker's lock";
  }
  return std::popcount(sleep.sleepers) > 1 ? "two threads sleep on one word" : "";
}

std::string Model::wrong_at_end() const {
  const bool is_over = std::ranges::all_of(threads, [](const Thread& thread) { return thread.busy == 0; }) &&
                       threads[kOwn].rounds_left == 0 &&
                       (further == Further::none || threads[kFurther].rounds_left == 0);
  return is_over ? "" : "a thread waits for ever";
}

}  // namespace locking::model
}  // namespace sched
}  // namespace weft::runtime
