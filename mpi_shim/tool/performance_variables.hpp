// The performance variables of MPI_T.
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

  // Whether it is a current level and not a sum: it can always be read, but not started, stopped or written.
  bool is_level() const { return of_class == MPI_T_PVAR_CLASS_LEVEL; }
  MPI_Datatype datatype() const { return of_class == MPI_T_PVAR_CLASS_TIMER ? MPI_DOUBLE : MPI_UNSIGNED_LONG; }
};

std::span<const PerformanceVariable> performance_variables();

}  // namespace tool
}  // namespace weft::mpi_shim
