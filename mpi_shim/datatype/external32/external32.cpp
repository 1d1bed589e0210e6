#include "mpi_shim/datatype/external32/external32.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>

#include "mpi_shim/datatype/external32/named_types.hpp"

namespace weft::mpi_shim {
inline namespace datatype {

namespace {

// IEEE's 128 bits, which the compiler calculates with and the standard has no name for.
__extension__ using Quadruple = __float128;
static_assert(sizeof(Quadruple) == 16 && std::numeric_limits<long double>::digits == 64);

void reverse(const std::byte* from, std::byte* to, std::size_t bytes) { std::reverse_copy(from, from + bytes, to); }

// The numbers of a predefined type, `times` after each other.
struct Numbers32 {
  std::array<Number32, 2> numbers;
  std::size_t count = 1;  // of `numbers`
  std::size_t times = 1;
  std::span<const Number32> span() const { return std::span(numbers).first(count); }
};

Numbers32 numbers_of(const Datatype& type) {
  using Form = Number32::Form;
  const auto all = [](Number32 number, std::size_t times = 1) { return Numbers32{{number}, 1, times}; };
  const auto pair = [](Number32 value, Number32 index) { return Numbers32{{value, index}, 2}; };
  const auto bits = [](std::size_t bytes) {
    return Number32{Form::natural, static_cast<std::uint8_t>(bytes), static_cast<std::uint8_t>(bytes)};
  };
  constexpr Number32 kLong{Form::whole, 8, 4};
  constexpr Number32 kExtended{Form::extended, 16, 16};
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
      return pair(bits(type.size() - sizeof(int)), bits(sizeof(int)));
    case Basic::long_int:
      return pair(kLong, bits(sizeof(int)));
    case Basic::long_double_int:
      return pair(kExtended, bits(sizeof(int)));
    case Basic::packed:
      return all(bits(1));
    default:
      return all(bits(type.size()));
  }
}

}  // namespace

ExternalSize external_size(const Datatype& type) {
  ExternalSize size;
  std::optional<Number32> first;
  count_named(type, 1, [&](const Datatype& named, std::size_t count) {
    const Numbers32 numbers = numbers_of(named);
    for (const Number32& number : numbers.span()) {
      first = count == 0 || first ? first : number;
      size.even &= count == 0 || number.here * first->there == number.there * first->here;
      size.bytes += number.there * numbers.times * count;
    }
  });
  return size;
}

External32::External32(const Datatype& type) {
  for_each_named(type, 1, [&](const Datatype& named, std::size_t count) { add_named(named, count); });
}

void External32::add_run(Number32 number, std::size_t count) {
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

void External32::add_named(const Datatype& type, std::size_t count) {
  const Numbers32 numbers = numbers_of(type);
  if (numbers.count == 1) {
    add_run(numbers.numbers[0], count * numbers.times);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (const Number32& number : numbers.span()) {
      add_run(number, 1);
    }
  }
}

void External32::write(std::span<const std::byte> packed, std::byte* external) const {
  const std::byte* in = packed.data();
  for (std::size_t elements = here_ == 0 ? 0 : packed.size() / here_; elements > 0; --elements) {
    for (const Run& run : runs_) {
      const Number32& number = run.number;
      for (std::size_t i = 0; i < run.count; ++i, in += number.here, external += number.there) {
        if (number.form == Number32::Form::extended) {
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
      const Number32& number = run.number;
      for (std::size_t i = 0; i < run.count; ++i, out += number.here, external += number.there) {
        if (number.form == Number32::Form::extended) {
          Quadruple quadruple = 0;
          reverse(external, reinterpret_cast<std::byte*>(&quadruple), sizeof quadruple);
          const auto value = static_cast<long double>(quadruple);
          std::memset(out, 0, number.here);
          std::memcpy(out, &value, 10);
        } else {
          reverse(external, out, number.there);
          const bool negative = number.form == Number32::Form::whole && (external[0] & std::byte{0x80}) != std::byte{0};
          std::fill(out + number.there, out + number.here, negative ? std::byte{0xff} : std::byte{0});
        }
      }
    }
  }
}

}  // namespace datatype
}  // namespace weft::mpi_shim
