// Datatypes: a flattened description of where the bytes of one element lie, shared by derived types that stand on it.
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

// What predefined reduction operations need to know of an element.
// clang-format off
enum class Basic : std::uint8_t {
  none,  // derived from several basic types
  byte, character, logical, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, float80,
  complex64, complex128, complex160, cxx_bool, c_bool,
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
  bool contiguous() const {
    return contiguous_;
  }                                       // n elements are one run of n * size() bytes from the buffer's address
  Basic basic() const { return basic_; }  // the one basic type it is made of
  std::size_t basic_size() const { return basic_size_; }
  std::size_t alignment() const { return alignment_; }  // that its basic types want
  bool predefined() const { return handle_value(handle) < kFirstUserHandle; }
  const Typemap& typemap() const { return *typemap_; }
  const std::shared_ptr<const Typemap>& shared_typemap() const { return typemap_; }
  const Signature& signature() const { return *signature_; }
  const DatatypeRecipe* recipe() const { return recipe_.get(); }  // null for predefined types

  // message_buffer() of a type that is not contiguous; its message may be one block all the same.
  runtime::Buffer scattered_buffer(const void* address, std::size_t count) const;

  bool committed = false;
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  std::string name;
  Attributes attributes;

  // Not of predefined types.
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
  Loop elements_;  // the elements of a message as a loop
  std::shared_ptr<const Signature> signature_;
  std::shared_ptr<const DatatypeRecipe> recipe_;
};

// A rank's own view of a predefined type.
struct DatatypeMarks {
  std::string name;  // empty: the standard's
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

// A handle of the ABI's constants for datatypes, whether or not it names one.
inline bool is_predefined(MPI_Datatype type) { return handle_value(type) - kFirstDatatype < kPredefinedDatatypes; }
inline const Datatype* predefined_datatype(MPI_Datatype type) {
  return kPredefined[handle_value(type) - kFirstDatatype];
}

// The message `count` elements of `type` at `address`, as the runtime takes it.
inline runtime::Buffer message_buffer(const void* address, std::size_t count, const Datatype& type) {
  if (type.contiguous()) [[likely]] {
    return {const_cast<void*>(address), count * type.size(), nullptr, count};
  }
  return type.scattered_buffer(address, count);
}

// Whether elements at `address` would lie in the page of the null pointer, which holds nothing. With MPI_BOTTOM, whose
// value is the null pointer's too, they lie elsewhere: the type's offsets or the call's displacements are addresses.
inline bool lies_at_null(const void* address, MPI_Count count, const Datatype& type) {
  constexpr std::uintptr_t kPage = 4096;
  const auto first = reinterpret_cast<std::uintptr_t>(address) + static_cast<std::uintptr_t>(type.true_lower_bound());
  return count > 0 && type.size() > 0 && first < kPage;
}

// What keeps a type alive while an operation is pending; empty for predefined and contiguous types, which messages do
// not look at again.
inline std::shared_ptr<const Datatype> keep_alive(const Datatype& type) {
  return type.contiguous() || type.predefined() ? nullptr : type.shared_from_this();
}

// A type as recipes and pending operations keep it. It shares nothing with predefined ones, which live as long as the
// process.
std::shared_ptr<const Datatype> shared(const Datatype& type);

// Predefined types are named, others packed once for all who share them in the image.
pup::Puper& operator|(pup::Puper& p, std::shared_ptr<const Datatype>& type);
// The layout of a message that this layer has started; whoever keeps it alive is in the same image.
void pup_layout(pup::Puper& p, const runtime::Layout*& layout);

}  // namespace datatype
}  // namespace weft::mpi_shim
