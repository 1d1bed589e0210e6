// Two strategies over the tree process - host - job: the outer one decides between hosts and between the processes of a
// host, the inner one within each process. After HierarchicalLB as Keller Tesser 2016 used it (HwTopoLB between
// hosts, NucoLB within; section III-A), but levels above the process get sums instead of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "lb/strategy.hpp"

namespace weft::lb {

// How far ranks move in a step: not at all, only within their processes, or also between processes.
enum class MoveScope : std::uint8_t { stay, within_processes, anywhere };
constexpr std::size_t kMoveScopes = 3;

// Each process groups its ranks into clusters and sends its host only the clusters' sums; the host does the same for
// the job. The job assigns clusters to hosts, each host assigns its clusters to its processes, then each process places
// its ranks on its workers. solve() does all of this in one place; hierarchy.hpp has the steps of each level.
class Hierarchical final : public Strategy {
 public:
  Hierarchical(std::unique_ptr<Strategy> outer, std::unique_ptr<Strategy> inner)
      : outer_(std::move(outer)), inner_(std::move(inner)) {}
  [[nodiscard]] Plan solve(const Instance& instance) const override;
  [[nodiscard]] bool wants_edges() const override { return outer_->wants_edges() || inner_->wants_edges(); }

  [[nodiscard]] const Strategy& outer() const { return *outer_; }
  [[nodiscard]] const Strategy& inner() const { return *inner_; }

 private:
  std::unique_ptr<Strategy> outer_;
  std::unique_ptr<Strategy> inner_;
};

}  // namespace weft::lb
