// MPI_MINLOC and MPI_MAXLOC: the extreme value and the lowest index that goes with it.
#include "mpi_shim/op/op_kernels.hpp"

namespace weft::mpi_shim {
inline namespace op {
namespace {

template <typename Value, typename Index>
struct Located {
  Value value;
  Index index;
};

struct MinimumLocation {
  template <typename T>
  static T combine(T a, T b) {
    return b.value < a.value || (b.value == a.value && b.index < a.index) ? b : a;
  }
};

struct MaximumLocation {
  template <typename T>
  static T combine(T a, T b) {
    return a.value < b.value || (b.value == a.value && b.index < a.index) ? b : a;
  }
};

template <typename Combine>
Kernel located(Number number) {
  switch (number) {
    case Number::float_int:
      return fold<Located<float, int>, Combine>;
    case Number::double_int:
      return fold<Located<double, int>, Combine>;
    case Number::long_int:
      return fold<Located<long, int>, Combine>;
    case Number::two_int:
      return fold<Located<int, int>, Combine>;
    case Number::short_int:
      return fold<Located<short, int>, Combine>;
    case Number::long_double_int:
      return fold<Located<long double, int>, Combine>;
    case Number::two_real:
      return fold<Located<float, float>, Combine>;
    case Number::two_double:
      return fold<Located<double, double>, Combine>;
    default:
      return nullptr;
  }
}

}  // namespace

Kernel location_kernel(MPI_Op op, Number number) {
  if (op == MPI_MINLOC) {
    return located<MinimumLocation>(number);
  }
  return op == MPI_MAXLOC ? located<MaximumLocation>(number) : nullptr;
}

}  // namespace op
}  // namespace weft::mpi_shim
