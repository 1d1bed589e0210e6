// What MPI_T can measure of a rank.
#pragma once

#include <span>

#include "mpi_shim/tool/tool.hpp"

namespace weft::mpi_shim {
inline namespace tool {

struct PerformanceVariable {
  std::string_view name;
  std::string_view description;
  int of_class = MPI_T_PVAR_CLASS_LEVEL;
  Category category = Category::messages;
  double (*now)(RankState& me) = nullptr;

  // What is so at a moment, not what adds up: it is always there to read, and cannot be started, stopped or written.
  bool is_level() const { return of_class == MPI_T_PVAR_CLASS_LEVEL; }
  MPI_Datatype datatype() const { return of_class == MPI_T_PVAR_CLASS_TIMER ? MPI_DOUBLE : MPI_UNSIGNED_LONG; }
};

std::span<const PerformanceVariable> performance_variables();

}  // namespace tool
}  // namespace weft::mpi_shim
