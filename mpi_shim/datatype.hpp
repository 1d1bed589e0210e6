// Datatypes: a flattened description of where the bytes of one element lie, shared by derived types that stand on it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mpi.h"
#include "mpi_shim/attributes.hpp"
#include "runtime/message/buffer.hpp"

namespace weft::mpi_shim {

// What predefined reduction operations need to know of an element.
enum class Basic : std::uint8_t {
  none,  // derived from several basic types
  byte, character, logical, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, float80,
  complex64, complex128, complex160, cxx_bool, c_bool,
  float_int, double_int, long_int, two_int, short_int, long_double_int, two_real, two_double, two_integer, packed
};

// Immutable once committed. Reference-counted by shared_ptr: a pending operation keeps its type alive after Type_free.
class Datatype : public runtime::Layout {
 public:
  std::size_t size() const { return size_; }        // bytes of data in one element
  MPI_Aint lower_bound() const { return lower_; }
  MPI_Aint extent() const { return extent_; }
  MPI_Aint true_lower_bound() const { return true_lower_; }
  MPI_Aint true_extent() const { return true_extent_; }
  bool contiguous() const { return contiguous_; }   // n elements are one run of n * size() bytes at lower_bound() == 0
  Basic basic() const { return basic_; }            // the one basic type it is made of
  std::size_t basic_size() const { return basic_size_; }
  bool committed = false;
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  std::string name;
  Attributes attributes;

  void pack(const void* base, std::size_t count, std::size_t skip, std::span<std::byte> out) const override;
  void unpack(void* base, std::size_t count, std::size_t skip, std::span<const std::byte> in) const override;

 private:
  friend class DatatypeBuilder;
  std::size_t size_ = 0;
  MPI_Aint lower_ = 0, extent_ = 0, true_lower_ = 0, true_extent_ = 0;
  bool contiguous_ = false;
  Basic basic_ = Basic::none;
  std::size_t basic_size_ = 0;
};

// The message `count` elements of `type` at `address`, as the runtime takes it.
inline runtime::Buffer message_buffer(const void* address, std::size_t count, const Datatype& type) {
  return {const_cast<void*>(address), count * type.size(), type.contiguous() ? nullptr : &type, count};
}

}  // namespace weft::mpi_shim
