// MPI_LAND, MPI_LOR, MPI_LXOR and MPI_BAND, MPI_BOR, MPI_BXOR.
#include "mpi_shim/op/op_kernels.hpp"

namespace weft::mpi_shim {
inline namespace op {
namespace {

__extension__ using Int128 = __int128;

struct LogicalAnd {
  template <typename T>
  static T combine(T a, T b) {
    return static_cast<T>((a != 0) & (b != 0));
  }
};
struct LogicalOr {
  template <typename T>
  static T combine(T a, T b) {
    return static_cast<T>((a != 0) | (b != 0));
  }
};
struct LogicalXor {
  template <typename T>
  static T combine(T a, T b) {
    return static_cast<T>((a != 0) != (b != 0));
  }
};
struct BitAnd {
  template <typename T>
  static T combine(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct BitOr {
  template <typename T>
  static T combine(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct BitXor {
  template <typename T>
  static T combine(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

// Signed integers use the kernels of unsigned ones: these operations give the same bits for both.
template <typename Combine>
Kernel integral(Number number) {
  switch (number) {
    case Number::int8:
    case Number::uint8:
      return fold<std::uint8_t, Combine>;
    case Number::int16:
    case Number::uint16:
      return fold<std::uint16_t, Combine>;
    case Number::int32:
    case Number::uint32:
      return fold<std::uint32_t, Combine>;
    case Number::int64:
    case Number::uint64:
      return fold<std::uint64_t, Combine>;
    case Number::int128:
      return fold<Int128, Combine>;
    default:
      return nullptr;
  }
}

template <typename Combine>
Kernel truth(Number number) {
  switch (number) {
    case Number::boolean:
    case Number::logical8:
      return fold<std::uint8_t, Combine>;
    case Number::logical16:
      return fold<std::uint16_t, Combine>;
    case Number::logical32:
      return fold<std::uint32_t, Combine>;
    case Number::logical64:
      return fold<std::uint64_t, Combine>;
    case Number::logical128:
      return fold<Int128, Combine>;
    default:
      return integral<Combine>(number);
  }
}

template <typename Combine>
Kernel bits(Number number) {
  return number == Number::byte ? fold<std::uint8_t, Combine> : integral<Combine>(number);
}

}  // namespace

Kernel logical_kernel(MPI_Op op, Number number) {
  if (op == MPI_LAND) {
    return truth<LogicalAnd>(number);
  }
  if (op == MPI_LOR) {
    return truth<LogicalOr>(number);
  }
  if (op == MPI_LXOR) {
    return truth<LogicalXor>(number);
  }
  if (op == MPI_BAND) {
    return bits<BitAnd>(number);
  }
  if (op == MPI_BOR) {
    return bits<BitOr>(number);
  }
  return op == MPI_BXOR ? bits<BitXor>(number) : nullptr;
}

}  // namespace op
}  // namespace weft::mpi_shim
