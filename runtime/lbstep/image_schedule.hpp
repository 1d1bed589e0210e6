// When a job that survives the death of a process (--survive) writes an image of its ranks, and which of
// two it writes anew.
#pragma once

#include <cstdint>
#include <optional>

namespace weft::runtime {
inline namespace lbstep {

// Times are seconds of one clock.
class ImageSchedule {
 public:
  // At most one image in so many seconds; the first is number `index`, 0 or 1.
  ImageSchedule(double interval, double now, std::uint32_t index) : interval_(interval), since_(now), index_(index) {}

  // Whether a step writes one. `balances`: the step would balance otherwise, so two in a row do not write.
  bool is_due(double now, bool balances);
  std::uint32_t index() const { return index_; }
  // It is whole: the next one is the other of the two.
  void written(double now);
  // It could not be written: the next attempt is as far away as if it had been.
  void failed(double now) { since_ = now; }
  // It cannot be written yet: the next attempt comes soon.
  void postpone(double now);

  // A step at the `call`th call of migrate(): the one at which ranks come to a step again, so that calls in between
  // cost nothing. Guesses from the time since the last step when half of the time that is left is over, but not more
  // than `most` seconds: somebody may ask for other processes.
  std::uint64_t next_call(std::uint64_t call, double now, double most = 1);

 private:
  struct Step {
    std::uint64_t call;
    double time;
  };

  const double interval_;
  double since_;  // the last image or the begin
  std::uint32_t index_;
  bool was_due_ = false;  // in the step before
  std::optional<Step> last_;
};

}  // namespace lbstep
}  // namespace weft::runtime
