// Two strategies over the tree process - host - job: the outer one decides between hosts and between the processes of a
// host, the inner one within each process. In the manner of HierarchicalLB as Keller Tesser 2016 used it (HwTopoLB
// between hosts, NucoLB within; section III-A), but with sums instead of ranks on the way up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "lb/strategy.hpp"

namespace weft::lb {

// The plans that a step is chosen from: none, one without exchange between processes, one with it.
enum class Choice : std::uint8_t { stay, within_processes, anywhere };
constexpr std::size_t kChoices = 3;

// Each process puts its ranks into clusters and sends its host only the clusters' sums; the host does the same for the
// job. The job sends clusters to hosts, each host to its processes, then each process places what it has on its
// workers. solve() does it all at one place, node by node; hierarchy.hpp has the nodes' own steps.
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
