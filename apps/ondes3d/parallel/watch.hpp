// All ranks stop together, with one message, when the waves of one of them diverge.
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

  // After step number `done`. Collective after each kEvery steps and after the last one; false when the run must end.
  [[nodiscard]] bool sound(int done, const State<Real>& state);
  // Once sound() was false: what happened, on rank 0.
  [[nodiscard]] const std::string& complaint() const { return complaint_; }

  // Steps from one meeting of the ranks to the next: a reduction of two numbers, which waits for the slowest rank.
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
