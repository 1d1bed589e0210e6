// MPI_SUM, MPI_PROD, MPI_MIN and MPI_MAX.
#include <concepts>
#include <type_traits>

#include "mpi_shim/op/op_kernels.hpp"

namespace weft::mpi_shim {
inline namespace op {
namespace {

__extension__ using Int128 = __int128;
__extension__ using Float16 = _Float16;
__extension__ using Float128 = __float128;

template <typename T>
struct Complex {
  T real, imaginary;
};

template <typename T>
inline constexpr bool kIsComplex = false;
template <typename T>
inline constexpr bool kIsComplex<Complex<T>> = true;

// Sums and products wrap around, as two's complement does, without overflowing a signed type.
template <typename T>
using Wrapping =
    std::conditional_t<(sizeof(T) < sizeof(unsigned)), std::type_identity<unsigned>, std::make_unsigned<T>>::type;

struct Sum {
  template <typename T>
  static T combine(T a, T b) {
    if constexpr (std::integral<T>) {
      return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
    } else if constexpr (kIsComplex<T>) {
      return {a.real + b.real, a.imaginary + b.imaginary};
    } else {
      return static_cast<T>(a + b);
    }
  }
};

struct Product {
  template <typename T>
  static T combine(T a, T b) {
    if constexpr (std::integral<T>) {
      return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
    } else if constexpr (kIsComplex<T>) {
      return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
    } else {
      return static_cast<T>(a * b);
    }
  }
};

struct Minimum {
  template <typename T>
  static T combine(T a, T b) {
    return b < a ? b : a;
  }
};

struct Maximum {
  template <typename T>
  static T combine(T a, T b) {
    return a < b ? b : a;
  }
};

template <typename Combine>
Kernel ordered(Number number) {
  switch (number) {
    case Number::int8:
      return fold<std::int8_t, Combine>;
    case Number::int16:
      return fold<std::int16_t, Combine>;
    case Number::int32:
      return fold<std::int32_t, Combine>;
    case Number::int64:
      return fold<std::int64_t, Combine>;
    case Number::int128:
      return fold<Int128, Combine>;
    case Number::uint8:
      return fold<std::uint8_t, Combine>;
    case Number::uint16:
      return fold<std::uint16_t, Combine>;
    case Number::uint32:
      return fold<std::uint32_t, Combine>;
    case Number::uint64:
      return fold<std::uint64_t, Combine>;
    case Number::float16:
      return fold<Float16, Combine>;
    case Number::float32:
      return fold<float, Combine>;
    case Number::float64:
      return fold<double, Combine>;
    case Number::float80:
      return fold<long double, Combine>;
    case Number::float128:
      return fold<Float128, Combine>;
    default:
      return nullptr;
  }
}

template <typename Combine>
Kernel algebraic(Number number) {
  switch (number) {
    case Number::complex16:
      return fold<Complex<Float16>, Combine>;
    case Number::complex32:
      return fold<Complex<float>, Combine>;
    case Number::complex64:
      return fold<Complex<double>, Combine>;
    case Number::complex80:
      return fold<Complex<long double>, Combine>;
    case Number::complex128:
      return fold<Complex<Float128>, Combine>;
    default:
      return ordered<Combine>(number);
  }
}

}  // namespace

Kernel arithmetic_kernel(MPI_Op op, Number number) {
  if (op == MPI_SUM) {
    return algebraic<Sum>(number);
  }
  if (op == MPI_PROD) {
    return algebraic<Product>(number);
  }
  if (op == MPI_MIN) {
    return ordered<Minimum>(number);
  }
  return op == MPI_MAX ? ordered<Maximum>(number) : nullptr;
}

}  // namespace op
}  // namespace weft::mpi_shim
