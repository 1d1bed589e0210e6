// Stops all ranks together, with one message, when the waves of one of them diverge.
#pragma once

#include <mpi.h>

#include <string>

#include "physics/divergence.hpp"

namespace ondes3d {

template <typename Real>
class DivergenceWatch {
 public:
  // Of the rank whose cells are `own`; `strength` is that of all sources. `model` must outlive it.
  DivergenceWatch(MPI_Comm comm, const Model& model, const Box& own, const SourceStrength& strength);

  // Call after step number `done`; collective after each kEvery steps and after the last one. False if the run must
  // end.
  [[nodiscard]] bool check_stable(int done, const State<Real>& state);
  // After check_stable() was false: what happened, on rank 0.
  [[nodiscard]] const std::string& complaint() const { return complaint_; }

  // Steps between two reductions (of two numbers), which wait for the slowest rank.
  static constexpr int kEvery = 20;

 private:
  void lower_bound(int done);
  // Collective: the earliest finding of all.
  void gather_findings();

  MPI_Comm comm_;
  const Model& model_;
  SourceStrength strength_;
  int silent_;  // step from which on the sources are silent and have been seen
  bool lowered_ = false;
  double peak_ = 0;  // of all ranks
  Divergence<Real> divergence_;
  std::string complaint_;
};

extern template class DivergenceWatch<float>;
extern template class DivergenceWatch<double>;

}  // namespace ondes3d
