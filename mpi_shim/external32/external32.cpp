#include "mpi_shim/external32/external32.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "mpi_shim/external32/named_types.hpp"

namespace weft::mpi_shim {

namespace {

// IEEE's 128 bits, which the compiler calculates with and the standard has no name for.
__extension__ using Quadruple = __float128;
static_assert(sizeof(Quadruple) == 16 && std::numeric_limits<long double>::digits == 64);

void reverse(const std::byte* from, std::byte* to, std::size_t bytes) { std::reverse_copy(from, from + bytes, to); }

}  // namespace

External32::External32(const Datatype& type) {
  for_each_named(type, 1, [&](const Datatype& named, std::size_t count) { add_named(named, count); });
}

void External32::add_run(Number number, std::size_t count) {
  if (count == 0) {
    return;
  }
  here_ += number.here * count;
  external_ += number.there * count;
  if (!runs_.empty() && runs_.back().number == number) {
    runs_.back().count += count;
  } else {
    runs_.push_back({number, count});
  }
}

bool External32::even() const {
  return std::ranges::all_of(runs_,
                             [&](const Run& run) { return run.number.here * external_ == run.number.there * here_; });
}

void External32::add_named(const Datatype& type, std::size_t count) {
  using Form = Number::Form;
  const auto all = [&](Number number, std::size_t parts = 1) { add_run(number, count * parts); };
  const auto pairs = [&](Number value, Number index) {
    for (std::size_t i = 0; i < count; ++i) {
      add_run(value, 1);
      add_run(index, 1);
    }
  };
  const auto bits = [](std::size_t bytes) {
    return Number{Form::natural, static_cast<std::uint8_t>(bytes), static_cast<std::uint8_t>(bytes)};
  };
  constexpr Number kLong{Form::whole, 8, 4};
  constexpr Number kExtended{Form::extended, 16, 16};
  const MPI_Datatype handle = type.handle;
  if (handle == MPI_LONG) {
    return all(kLong);
  }
  if (handle == MPI_UNSIGNED_LONG) {
    return all({Form::natural, 8, 4});
  }
  if (handle == MPI_WCHAR) {
    return all({Form::natural, 4, 2});
  }
  if (handle == MPI_COMPLEX4 || handle == MPI_COMPLEX32) {
    return all(bits(type.size() / 2), 2);
  }
  switch (type.basic()) {
    case Basic::float80:
      return all(kExtended);
    case Basic::complex160:
      return all(kExtended, 2);
    case Basic::complex64:
    case Basic::complex128:
    case Basic::two_int:
    case Basic::two_real:
    case Basic::two_double:
    case Basic::two_integer:
      return all(bits(type.size() / 2), 2);
    case Basic::float_int:
    case Basic::double_int:
    case Basic::short_int:
      return pairs(bits(type.size() - sizeof(int)), bits(sizeof(int)));
    case Basic::long_int:
      return pairs(kLong, bits(sizeof(int)));
    case Basic::long_double_int:
      return pairs(kExtended, bits(sizeof(int)));
    case Basic::packed:
      return all(bits(1));
    default:
      return all(bits(type.size()));
  }
}

void External32::write(std::span<const std::byte> packed, std::byte* external) const {
  const std::byte* in = packed.data();
  for (std::size_t elements = here_ == 0 ? 0 : packed.size() / here_; elements > 0; --elements) {
    for (const Run& run : runs_) {
      const Number& number = run.number;
      for (std::size_t i = 0; i < run.count; ++i, in += number.here, external += number.there) {
        if (number.form == Number::Form::extended) {
          long double value = 0;
          std::memcpy(&value, in, sizeof value);
          const auto quadruple = static_cast<Quadruple>(value);
          reverse(reinterpret_cast<const std::byte*>(&quadruple), external, sizeof quadruple);
        } else {
          reverse(in, external, number.there);  // the low bytes come first here
        }
      }
    }
  }
}

void External32::read(const std::byte* external, std::span<std::byte> packed) const {
  std::byte* out = packed.data();
  for (std::size_t elements = here_ == 0 ? 0 : packed.size() / here_; elements > 0; --elements) {
    for (const Run& run : runs_) {
      const Number& number = run.number;
      for (std::size_t i = 0; i < run.count; ++i, out += number.here, external += number.there) {
        if (number.form == Number::Form::extended) {
          Quadruple quadruple = 0;
          reverse(external, reinterpret_cast<std::byte*>(&quadruple), sizeof quadruple);
          const auto value = static_cast<long double>(quadruple);
          std::memset(out, 0, number.here);
          std::memcpy(out, &value, 10);
        } else {
          reverse(external, out, number.there);
          const bool negative = number.form == Number::Form::whole && (external[0] & std::byte{0x80}) != std::byte{0};
          std::fill(out + number.there, out + number.here, negative ? std::byte{0xff} : std::byte{0});
        }
      }
    }
  }
}

}  // namespace weft::mpi_shim
