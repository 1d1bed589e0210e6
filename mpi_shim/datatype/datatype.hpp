// Datatypes. A flattened map says where the bytes of one element lie; types derived from a datatype share its map.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mpi.h"
#include "mpi_shim/attribute/attributes.hpp"
#include "mpi_shim/datatype/typemap.hpp"
#include "mpi_shim/state/handles.hpp"
#include "runtime/p2p/buffer.hpp"

namespace weft::mpi_shim {
inline namespace datatype {

class Signature;        // signature.hpp: which basic types follow each other
struct DatatypeRecipe;  // datatype_recipe.hpp: the call that made it

// The type of an element, as predefined reduction operations distinguish it.
// clang-format off
enum class Basic : std::uint8_t {
  none,  // derived from several basic types; or MPI_WCHAR, which has no reduction operations
  byte, character, logical8, logical16, logical, logical64, logical128, int8, int16, int32, int64, int128,
  uint8, uint16, uint32, uint64, float16, float32, float64, float80, float128,
  complex32, complex64, complex128, complex160, complex256, cxx_bool, c_bool,
  float_int, double_int, long_int, two_int, short_int, long_double_int, two_real, two_double, two_integer, packed
};
// clang-format on

// Immutable once committed, but for its name and attributes. Reference-counted by shared_ptr: a pending operation keeps
// its type alive after Type_free.
class Datatype final : public runtime::Layout, public std::enable_shared_from_this<Datatype> {
 public:
  std::size_t size() const { return size_; }  // bytes of data in one element
  MPI_Aint lower_bound() const { return lower_; }
  MPI_Aint extent() const { return extent_; }
  MPI_Aint true_lower_bound() const { return true_lower_; }
  MPI_Aint true_extent() const { return true_extent_; }
  // Whether n elements are one run of n * size() bytes from the buffer's address.
  bool contiguous() const { return contiguous_; }
  Basic basic() const { return basic_; }  // the one basic type it is made of
  // Packed bytes of one element of that basic type; 0 if there are several.
  std::size_t basic_size() const { return basic_size_; }
  std::size_t alignment() const { return alignment_; }  // required by its basic types
  bool predefined() const { return handle_value(handle) < kFirstUserHandle; }
  const Typemap& typemap() const { return *typemap_; }
  const std::shared_ptr<const Typemap>& shared_typemap() const { return typemap_; }
  const Signature& signature() const { return *signature_; }
  const DatatypeRecipe* recipe() const { return recipe_.get(); }  // null for predefined types

  // message_buffer() for a type that is not contiguous; the message may still be one block.
  runtime::Buffer scattered_buffer(const void* address, std::size_t count) const;

  bool committed = false;
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  std::string name;
  Attributes attributes;

  // REQUIRES: not a predefined type.
  void pup(pup::Puper& p);

  void pack(const void* base, std::size_t count, std::size_t skip, std::span<std::byte> out) const override;
  void unpack(void* base, std::size_t count, std::size_t skip, std::span<const std::byte> in) const override;

 private:
  friend class DatatypeBuilder;
  std::size_t size_ = 0;
  MPI_Aint lower_ = 0, extent_ = 0, true_lower_ = 0, true_extent_ = 0;
  bool contiguous_ = false;
  Basic basic_ = Basic::none;
  std::size_t basic_size_ = 0;
  std::size_t alignment_ = 1;  // of the element with the strictest need, as a C compiler pads structures
  std::shared_ptr<const Typemap> typemap_;
  Loop elements_;  // all elements of a message, as one loop
  std::shared_ptr<const Signature> signature_;
  std::shared_ptr<const DatatypeRecipe> recipe_;
};

// The name and the attributes that one rank has given to a predefined type.
struct DatatypeAnnotations {
  std::string name;  // empty: the name in the standard
  Attributes attributes;
  void pup(pup::Puper& p) {
    p | name;
    pup_attributes(p, attributes);
  }
};

inline constexpr std::uintptr_t kFirstDatatype = 0x200;
inline constexpr std::size_t kPredefinedDatatypes = 0x100;
// By handle - kFirstDatatype; null where there is no such type.
extern const std::array<const Datatype*, kPredefinedDatatypes> kPredefined;

// Whether the handle lies in the ABI's range for predefined datatypes; it need not name one.
inline bool is_predefined(MPI_Datatype type) { return handle_value(type) - kFirstDatatype < kPredefinedDatatypes; }
inline const Datatype* predefined_datatype(MPI_Datatype type) {
  return kPredefined[handle_value(type) - kFirstDatatype];
}

// A message of `count` elements of `type` at `address`, as the runtime describes it.
inline runtime::Buffer message_buffer(const void* address, std::size_t count, const Datatype& type) {
  if (type.contiguous()) [[likely]] {
    return {const_cast<void*>(address), count * type.size(), nullptr, count};
  }
  return type.scattered_buffer(address, count);
}

// Whether elements at `address` would begin in the page at address 0, which is never mapped. MPI_BOTTOM is 0 too, but
// then the elements lie elsewhere: the type's offsets or the call's displacements are absolute addresses.
inline bool lies_at_null(const void* address, MPI_Count count, const Datatype& type) {
  constexpr std::uintptr_t kPage = 4096;
  const auto first = reinterpret_cast<std::uintptr_t>(address) + static_cast<std::uintptr_t>(type.true_lower_bound());
  return count > 0 && type.size() > 0 && first < kPage;
}

// A reference that keeps the type alive while an operation is pending. Null for predefined types, which are never
// freed, and for contiguous types, which a started message does not use any more.
inline std::shared_ptr<const Datatype> keep_alive(const Datatype& type) {
  return type.contiguous() || type.predefined() ? nullptr : type.shared_from_this();
}

// A reference to a type, for recipes and pending operations. For a predefined type, which is never freed, it owns
// nothing.
std::shared_ptr<const Datatype> shared(const Datatype& type);

// Packs a predefined type as its handle, and another one once for all of its owners in the image.
pup::Puper& operator|(pup::Puper& p, std::shared_ptr<const Datatype>& type);
// Packs the layout of a message that this layer has started. What keeps the layout alive is in the same image.
void pup_layout(pup::Puper& p, const runtime::Layout*& layout);

}  // namespace datatype
}  // namespace weft::mpi_shim
