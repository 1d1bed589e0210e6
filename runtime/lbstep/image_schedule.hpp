// Decides when a job with --survive writes an image of its ranks, and which of its two images it overwrites.
#pragma once

#include <cstdint>
#include <optional>

namespace weft::runtime {
inline namespace lbstep {

// All times are seconds of one clock.
class ImageSchedule {
 public:
  // `interval`: at most one image in this many seconds. `index`: the number of the first image, 0 or 1.
  ImageSchedule(double interval, double now, std::uint32_t index) : interval_(interval), since_(now), index_(index) {}

  // Whether a step writes an image. `balances`: the step balances unless it writes one; of two such steps in a row only
  // one writes.
  bool is_due(double now, bool balances);
  std::uint32_t index() const { return index_; }
  // An image is complete: the next one is the other of the two.
  void written(double now);
  // An image could not be written: the next attempt comes after a whole interval.
  void failed(double now) { since_ = now; }
  // An image cannot be written yet: the next attempt comes soon.
  void postpone(double now);

  // After a step at call number `call` of migrate(): the call at which ranks come to the next step, so that calls in
  // between cost nothing. Chosen, by the time since the last step, for when half of the remaining time is over. At most
  // `most` seconds from now, since somebody may ask for other processes.
  std::uint64_t next_call(std::uint64_t call, double now, double most = 1);

 private:
  struct Step {
    std::uint64_t call;
    double time;
  };

  const double interval_;
  double since_;  // time of the last image, or of the start
  std::uint32_t index_;
  bool was_due_ = false;  // in the step before
  std::optional<Step> last_;
};

}  // namespace lbstep
}  // namespace weft::runtime
