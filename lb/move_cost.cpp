#include "lb/move_cost.hpp"

#include <algorithm>

namespace weft::lb {
namespace {

constexpr double kMebi = 1024.0 * 1024.0;
constexpr double kMemory = 0.9;
constexpr double kStepMemory = 0.75;

}  // namespace

void MoveCost::learn(const StepCost& step) {
  if (step.moves == 0) {
    step_ = knows_step_ ? kStepMemory * step_ + (1.0 - kStepMemory) * step.seconds : step.seconds;
    knows_step_ = true;
    return;
  }
  const auto moves = static_cast<double>(step.moves);
  const double mebi = static_cast<double>(step.bytes) / kMebi;
  const double seconds = std::max(0.0, step.seconds - step_);
  for (double* sum : {&mm_, &mb_, &bb_, &my_, &by_}) {
    *sum *= kMemory;
  }
  mm_ += moves * moves;
  mb_ += moves * mebi;
  bb_ += mebi * mebi;
  my_ += moves * seconds;
  by_ += mebi * seconds;
  fit();
}

// The non-negative minimum: the unconstrained one, or the one with the negative term set to 0.
void MoveCost::fit() {
  const double mm = mm_ + 1.0;
  const double bb = bb_ + 1.0;
  const double my = my_ + first_.per_move;
  const double by = by_ + first_.per_byte * kMebi;
  const double determinant = mm * bb - mb_ * mb_;
  double per_move = (my * bb - by * mb_) / determinant;
  double per_mebi = (by * mm - my * mb_) / determinant;
  if (per_move < 0.0) {
    per_move = 0.0;
    per_mebi = by / bb;
  } else if (per_mebi < 0.0) {
    per_mebi = 0.0;
    per_move = my / mm;
  }
  per_move_ = per_move;
  per_byte_ = per_mebi / kMebi;
}

double MoveCost::seconds(std::uint64_t moves, std::uint64_t bytes) const {
  return moves == 0 ? 0.0 : static_cast<double>(moves) * per_move_ + static_cast<double>(bytes) * per_byte_;
}

}  // namespace weft::lb
