// A datatype as the standard defines it: a plain list of basic elements and their offsets. Slow and obvious.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "mpi.h"

namespace weft::mpi_shim {

struct Oracle {
  struct Element {
    MPI_Aint offset;
    MPI_Aint bytes;
  };
  std::vector<Element> elements;
  MPI_Aint lower = 0;
  MPI_Aint upper = 0;
  MPI_Aint alignment = 1;
  bool empty = true;  // no bounds yet

  MPI_Aint extent() const { return upper - lower; }
  std::size_t size() const {
    std::size_t bytes = 0;
    for (const Element& element : elements) {
      bytes += static_cast<std::size_t>(element.bytes);
    }
    return bytes;
  }
  MPI_Aint true_lower() const {
    MPI_Aint low = elements.empty() ? 0 : elements.front().offset;
    for (const Element& element : elements) {
      low = std::min(low, element.offset);
    }
    return low;
  }
  MPI_Aint true_upper() const {
    MPI_Aint high = elements.empty() ? 0 : elements.front().offset + elements.front().bytes;
    for (const Element& element : elements) {
      high = std::max(high, element.offset + element.bytes);
    }
    return high;
  }

  static Oracle basic(MPI_Aint bytes) {
    return {.elements = {{0, bytes}}, .lower = 0, .upper = bytes, .alignment = bytes, .empty = false};
  }

  // `length` elements of `type` behind each other, the first at `offset`.
  void place(const Oracle& type, MPI_Aint offset, MPI_Aint length = 1) {
    for (MPI_Aint k = 0; k < length; ++k) {
      const MPI_Aint at = offset + k * type.extent();
      for (const Element& element : type.elements) {
        elements.push_back({at + element.offset, element.bytes});
      }
      lower = empty ? at + type.lower : std::min(lower, at + type.lower);
      upper = empty ? at + type.upper : std::max(upper, at + type.upper);
      alignment = std::max(alignment, type.alignment);
      empty = false;
    }
  }
  void pad() {
    while (extent() % alignment != 0) {
      ++upper;
    }
  }
  void set_bounds(MPI_Aint low, MPI_Aint extent) {
    lower = low;
    upper = low + extent;
    alignment = 1;
    empty = false;
  }

  // The packed bytes of `count` elements at `base`.
  std::vector<std::byte> pack(const std::byte* base, MPI_Aint count) const {
    std::vector<std::byte> out;
    for (MPI_Aint i = 0; i < count; ++i) {
      for (const Element& element : elements) {
        const std::byte* const at = base + i * extent() + element.offset;
        out.insert(out.end(), at, at + element.bytes);
      }
    }
    return out;
  }
  // Puts as many packed bytes as there are.
  void unpack(std::byte* base, MPI_Aint count, const std::vector<std::byte>& packed) const {
    std::size_t next = 0;
    for (MPI_Aint i = 0; i < count; ++i) {
      for (const Element& element : elements) {
        for (MPI_Aint b = 0; b < element.bytes && next < packed.size(); ++b) {
          base[i * extent() + element.offset + b] = packed[next++];
        }
      }
    }
  }
  // The basic elements in the first `bytes` packed bytes, MPI_UNDEFINED when one is cut.
  int elements_in(std::size_t bytes) const {
    int count = 0;
    while (bytes > 0) {
      const auto next = static_cast<std::size_t>(elements[static_cast<std::size_t>(count) % elements.size()].bytes);
      if (next > bytes) {
        return MPI_UNDEFINED;
      }
      bytes -= next;
      ++count;
    }
    return count;
  }
};

// Calls `visit` with the linear index of each element of an array that `owned(dimension, index)` holds for in every
// dimension, in the order of memory.
inline void for_each_owned(const std::vector<int>& sizes, int order, const std::function<bool(int, int)>& owned,
                           const std::function<void(MPI_Aint)>& visit) {
  const int dimensions = static_cast<int>(sizes.size());
  MPI_Aint total = 1;
  for (const int size : sizes) {
    total *= size;
  }
  for (MPI_Aint linear = 0; linear < total; ++linear) {
    MPI_Aint rest = linear;
    bool all = true;
    for (int k = 0; k < dimensions; ++k) {
      const int d = order == MPI_ORDER_FORTRAN ? k : dimensions - 1 - k;
      const int size = sizes[static_cast<std::size_t>(d)];
      all = all && owned(d, static_cast<int>(rest % size));
      rest /= size;
    }
    if (all) {
      visit(linear);
    }
  }
}

}  // namespace weft::mpi_shim
