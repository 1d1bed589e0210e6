// Builds datatypes: each constructor adds the blocks of its type, and build() makes the type. Keeps all offsets within
// kMaxOffset.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "mpi_shim/datatype/datatype.hpp"
#include "mpi_shim/datatype/signature.hpp"
#include "mpi_shim/datatype/typemap.hpp"

namespace weft::mpi_shim {
inline namespace datatype {

// MPI_LB and MPI_UB, which MPI-3.0 removed: they have no bytes and set the bounds of structures. The ABI has no handles
// for them.
inline constexpr std::uintptr_t kLowerMarker = 0x23e;
inline constexpr std::uintptr_t kUpperMarker = 0x23f;

// A value of a basic type, at `offset` from the element's address.
struct BasicPart {
  MPI_Aint offset = 0;
  std::size_t bytes = 0;
};

// A type of the standard.
struct NamedDatatype {
  MPI_Datatype handle;
  const char* name;
  Basic basic;
  std::size_t bytes;  // of the only part, or of the value of a value-index pair
  std::size_t alignment;
  BasicPart index = {};  // of a value-index pair
};

// The largest distance of a byte or a bound from the element's address, so that sums of a few offsets fit in 64 bits.
// Also the largest size of a type.
inline constexpr MPI_Aint kMaxOffset = MPI_Aint{1} << 60;

// The product, clamped: a product beyond kMaxOffset stays beyond it.
MPI_Aint scaled(MPI_Count number, MPI_Aint unit);

class DatatypeBuilder {
 public:
  // `count` elements of `type`, the first at `offset`, `stride` bytes apart.
  void add(const Datatype& type, MPI_Aint offset, std::size_t count, MPI_Aint stride);
  // `count` blocks of `length` elements each, the first at `offset`, `stride` bytes apart.
  void add_blocks(const Datatype& type, MPI_Aint offset, std::size_t length, std::size_t count, MPI_Aint stride);
  // A map whose signature is `elements` elements of `type`, for arrays; bounds are set by set_bounds().
  void add_map(const Datatype& type, const std::shared_ptr<const Typemap>& map, MPI_Aint offset, std::size_t elements);
  void set_bounds(MPI_Aint lower, MPI_Aint extent);
  // Bounds that MPI_LB and MPI_UB give a structure instead of those of its elements.
  void set_markers(std::optional<MPI_Aint> lower, std::optional<MPI_Aint> upper);
  // Extends the type to a multiple of its alignment, as a C structure.
  void pad();
  // Null if a byte or a bound lies beyond kMaxOffset.
  std::shared_ptr<Datatype> build();

  // A copy of the type, without its name, attributes and handle.
  static std::shared_ptr<Datatype> copy(const Datatype& type);
  static void set_recipe(Datatype& type, std::shared_ptr<const DatatypeRecipe> recipe);
  static std::unique_ptr<Datatype> predefined(const NamedDatatype& named);

 private:
  void widen(const Datatype& type, MPI_Aint first, MPI_Aint last);
  // `count` items, `stride` bytes apart.
  struct Row {
    std::size_t count;
    MPI_Aint stride;
  };
  bool check_range(const Datatype& type, MPI_Aint offset, Row elements, Row blocks);
  static void finish(Datatype& type);

  TypemapBuilder map_;
  SignatureBuilder signature_;
  bool empty_ = true;
  bool out_of_range_ = false;  // once set, nothing more is added
  Basic basic_ = Basic::none;
  std::size_t basic_size_ = 0;
  std::size_t alignment_ = 1;
  MPI_Aint lower_ = 0;
  MPI_Aint upper_ = 0;
};

}  // namespace datatype
}  // namespace weft::mpi_shim
