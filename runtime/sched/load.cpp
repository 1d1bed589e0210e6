#include "runtime/sched/load.hpp"

#include <utility>

#include "runtime/meter/ticks.hpp"

namespace weft::runtime {
inline namespace sched {

void Load::stop() {
  if (counts_) {
    counts_ = false;
    stopped_at_ = cycles.load(std::memory_order_relaxed);
  }
}

void Load::start() {
  if (!counts_) {
    counts_ = true;
    left_out_ += cycles.load(std::memory_order_relaxed) - stopped_at_;
  }
}

void Load::reset() {
  at_last_step = cycles.load(std::memory_order_relaxed);
  stopped_at_ = at_last_step;
  left_out_ = 0;
  recorded_ = 0;
  declared_seconds_.reset();
}

std::uint64_t Load::counted() const {
  const std::uint64_t until = counts_ ? cycles.load(std::memory_order_relaxed) : stopped_at_;
  return until - at_last_step - left_out_;
}

double Load::take_recorded() {
  const std::uint64_t before = std::exchange(recorded_, counted());
  return declared_seconds_.value_or(static_cast<double>(recorded_ - before) / ticks_per_second());
}

double Load::take_seconds() {
  const double seconds = declared_seconds_.value_or(static_cast<double>(counted()) / ticks_per_second());
  reset();
  return seconds;
}

void Load::pup(pup::Puper& p) {
  std::uint64_t so_far = cycles.load(std::memory_order_relaxed);
  std::uint64_t switched = switches.load(std::memory_order_relaxed);
  p | so_far | at_last_step | switched | counts_ | stopped_at_ | left_out_ | declared_seconds_ | recorded_;
  cycles.store(so_far, std::memory_order_relaxed);
  switches.store(switched, std::memory_order_relaxed);
}

}  // namespace sched
}  // namespace weft::runtime
