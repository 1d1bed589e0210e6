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
  enum class Form : std::uint8_t { whole, natural, extended };  // signed, unsigned or bits, x87's long double
  Form form = Form::natural;
  std::uint8_t here = 1;   // bytes
  std::uint8_t there = 1;  // bytes
  bool operator==(const Number32&) const = default;
};

// What elements of a datatype take in external32; found without a look at each of their numbers.
struct ExternalSize {
  std::size_t bytes = 0;  // of one element
  bool even = true;       // all its numbers grow by the same factor
};
ExternalSize external_size(const Datatype& type);

// How the packed bytes of elements of a datatype are written in external32.
class External32 {
 public:
  explicit External32(const Datatype& type);

  std::size_t size() const { return external_; }  // bytes of one element in external32
  // The packed bytes of whole elements, from one representation to the other. Numbers that the other one has no room
  // for lose what is above it.
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
  std::size_t here_ = 0;
  std::size_t external_ = 0;
};

}  // namespace datatype
}  // namespace weft::mpi_shim
