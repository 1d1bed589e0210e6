// The cost of moves, learnt from measured balancing steps.
#pragma once

#include <cstdint>
#include <optional>

namespace weft::lb {

// A measured balancing step.
struct StepCost {
  std::uint64_t moves = 0;  // ranks that changed their worker
  std::uint64_t bytes = 0;  // of those that changed their process
  double seconds = 0.0;     // from the last rank's arrival until the ranks continued
};

// seconds = step + moves * per_move + bytes * per_byte. Fitted by least squares in which the weight of a step decreases
// by a tenth with each later one. Before the first measurement the costs are those of Prices.
class MoveCost {
 public:
  // Assumed before the first measurement; later it has the weight of one step with one rank and one MiB.
  struct Prices {
    double per_move = 5e-6;
    double per_byte = 1e-9;
    std::optional<double> step{};  // of a step without moves; none: not known
  };
  MoveCost() = default;
  explicit MoveCost(const Prices& first)
      : first_(first), step_(first.step.value_or(0.0)), knows_step_(first.step.has_value()) {
    fit();
  }
  void learn(const StepCost& step);
  [[nodiscard]] double seconds(std::uint64_t moves, std::uint64_t bytes) const;
  [[nodiscard]] double step() const { return step_; }  // of a step without moves; until there was one Prices::step or 0
  [[nodiscard]] double per_move() const { return per_move_; }
  [[nodiscard]] double per_byte() const { return per_byte_; }

 private:
  void fit();

  Prices first_;
  double step_ = 0.0;
  bool knows_step_ = false;
  double per_move_ = 5e-6;
  double per_byte_ = 1e-9;
  // Weighted sums over the steps with moves: m moves, b MiB, y seconds beyond step_.
  double mm_ = 0.0, mb_ = 0.0, bb_ = 0.0, my_ = 0.0, by_ = 0.0;
};

}  // namespace weft::lb
