// The data representation external32 (MPI-4.0 section 14.5.2): big-endian IEEE numbers of fixed sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mpi_shim/datatype/datatype.hpp"

namespace weft::mpi_shim {
inline namespace datatype {

// A number as it is in memory and in external32.
struct Number32 {
  // plain_bits: unsigned integers, and what is not a number; extended_float: the long double of x87.
  enum class Form : std::uint8_t { signed_integer, plain_bits, extended_float };
  Form form = Form::plain_bits;
  std::uint8_t memory_bytes = 1;
  std::uint8_t external_bytes = 1;
  bool operator==(const Number32&) const = default;
};

// The size of an element in external32, computed without visiting each of its numbers.
struct ExternalSize {
  std::size_t bytes = 0;  // of one element
  bool uniform = true;    // the sizes of all numbers change by the same factor
};
ExternalSize external_size(const Datatype& type);

// Converts the packed bytes of elements of a datatype to external32 and back.
class External32 {
 public:
  explicit External32(const Datatype& type);

  std::size_t size() const { return external_bytes_; }  // bytes of one element in external32
  // Convert the packed bytes of whole elements. A number too large for the other representation loses its high bits.
  void write(std::span<const std::byte> packed, std::byte* external) const;
  void read(const std::byte* external, std::span<std::byte> packed) const;

 private:
  // The same number, `count` times in a row.
  struct Run {
    Number32 number;
    std::size_t count = 0;
  };

  void add_named(const Datatype& type, std::size_t count);
  void add_run(Number32 number, std::size_t count);

  std::vector<Run> runs_;  // of one element
  std::size_t memory_bytes_ = 0;
  std::size_t external_bytes_ = 0;
};

}  // namespace datatype
}  // namespace weft::mpi_shim
