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

// IEEE binary128: the compiler supports it, but C++20 has no name for it.
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
    return Number32{Form::plain_bits, static_cast<std::uint8_t>(bytes), static_cast<std::uint8_t>(bytes)};
  };
  constexpr Number32 kLong{Form::signed_integer, 8, 4};
  constexpr Number32 kExtended{Form::extended_float, 16, 16};
  const MPI_Datatype handle = type.handle;
  if (handle == MPI_LONG) {
    return all(kLong);
  }
  if (handle == MPI_UNSIGNED_LONG) {
    return all({Form::plain_bits, 8, 4});
  }
  if (handle == MPI_WCHAR) {
    return all({Form::plain_bits, 4, 2});
  }
  switch (type.basic()) {
    case Basic::float80:
      return all(kExtended);
    case Basic::complex160:
      return all(kExtended, 2);
    case Basic::complex32:
    case Basic::complex64:
    case Basic::complex128:
    case Basic::complex256:
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
      size.uniform &=
          count == 0 || number.memory_bytes * first->external_bytes == number.external_bytes * first->memory_bytes;
      size.bytes += number.external_bytes * numbers.times * count;
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
  memory_bytes_ += number.memory_bytes * count;
  external_bytes_ += number.external_bytes * count;
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
  for (std::size_t elements = memory_bytes_ == 0 ? 0 : packed.size() / memory_bytes_; elements > 0; --elements) {
    for (const Run& run : runs_) {
      const Number32& number = run.number;
      for (std::size_t i = 0; i < run.count; ++i, in += number.memory_bytes, external += number.external_bytes) {
        if (number.form == Number32::Form::extended_float) {
          long double value = 0;
          std::memcpy(&value, in, sizeof value);
          const auto quadruple = static_cast<Quadruple>(value);
          reverse(reinterpret_cast<const std::byte*>(&quadruple), external, sizeof quadruple);
        } else {
          reverse(in, external, number.external_bytes);  // the low bytes come first here
        }
      }
    }
  }
}

void External32::read(const std::byte* external, std::span<std::byte> packed) const {
  std::byte* out = packed.data();
  for (std::size_t elements = memory_bytes_ == 0 ? 0 : packed.size() / memory_bytes_; elements > 0; --elements) {
    for (const Run& run : runs_) {
      const Number32& number = run.number;
      for (std::size_t i = 0; i < run.count; ++i, out += number.memory_bytes, external += number.external_bytes) {
        if (number.form == Number32::Form::extended_float) {
          Quadruple quadruple = 0;
          reverse(external, reinterpret_cast<std::byte*>(&quadruple), sizeof quadruple);
          const auto value = static_cast<long double>(quadruple);
          std::memset(out, 0, number.memory_bytes);
          std::memcpy(out, &value, 10);  // an x87 number has ten bytes; the others are padding
        } else {
          reverse(external, out, number.external_bytes);
          const bool negative =
              number.form == Number32::Form::signed_integer && (external[0] & std::byte{0x80}) != std::byte{0};
          std::fill(out + number.external_bytes, out + number.memory_bytes, negative ? std::byte{0xff} : std::byte{0});
        }
      }
    }
  }
}

}  // namespace datatype
}  // namespace weft::mpi_shim
