#include "mpi_shim/datatype/datatype.hpp"

#include <algorithm>

#include "mpi_shim/datatype/datatype_builder.hpp"
#include "mpi_shim/datatype/datatype_recipe.hpp"

namespace weft::mpi_shim {
inline namespace datatype {

namespace {

__extension__ using Wide = __int128;

Wide clamped(Wide value) { return std::clamp<Wide>(value, -2 * Wide{kMaxOffset}, 2 * Wide{kMaxOffset}); }
bool exceeds_max_offset(Wide value) { return value < -kMaxOffset || value > kMaxOffset; }

}  // namespace

MPI_Aint scaled(MPI_Count number, MPI_Aint unit) { return static_cast<MPI_Aint>(clamped(Wide{number} * unit)); }

void Datatype::pack(const void* base, std::size_t /*count*/, std::size_t skip, std::span<std::byte> out) const {
  if (!out.empty()) {
    elements_.pack(static_cast<const std::byte*>(base), skip, out.data(), out.size());
  }
}

void Datatype::unpack(void* base, std::size_t /*count*/, std::size_t skip, std::span<const std::byte> in) const {
  if (!in.empty()) {
    elements_.unpack(static_cast<std::byte*>(base), skip, in.data(), in.size());
  }
}

runtime::Buffer Datatype::scattered_buffer(const void* address, std::size_t count) const {
  if (count == 1 && typemap_->is_block()) {
    const std::byte* block = static_cast<const std::byte*>(address) + typemap_->low();
    return {const_cast<std::byte*>(block), size_, nullptr, 1};
  }
  return {const_cast<void*>(address), count * size_, this, count};
}

std::shared_ptr<const Datatype> shared(const Datatype& type) {
  return type.predefined() ? std::shared_ptr<const Datatype>(std::shared_ptr<const Datatype>(), &type)
                           : type.shared_from_this();
}

void Datatype::pup(pup::Puper& p) {
  p | size_ | lower_ | extent_ | true_lower_ | true_extent_ | contiguous_ | basic_ | basic_size_ | alignment_;
  p | typemap_ | elements_ | signature_ | recipe_ | committed | name;
  pup::same_address(p, handle);
  pup_attributes(p, attributes);
}

pup::Puper& operator|(pup::Puper& p, std::shared_ptr<const Datatype>& type) {
  MPI_Datatype named = type != nullptr && type->predefined() ? type->handle : MPI_DATATYPE_NULL;
  pup::same_address(p, named);
  if (named == MPI_DATATYPE_NULL) {
    auto derived = std::const_pointer_cast<Datatype>(type);
    p | derived;
    type = std::move(derived);
  } else {
    type = shared(*predefined_datatype(named));
  }
  return p;
}

void pup_layout(pup::Puper& p, const runtime::Layout*& layout) {
  std::shared_ptr<const Datatype> type = layout == nullptr ? nullptr : shared(*static_cast<const Datatype*>(layout));
  p | type;
  layout = type.get();
}

// Whether blocks of elements, repeated at a stride, stay within kMaxOffset; else the builder is out of range from now
// on.
bool DatatypeBuilder::check_range(const Datatype& type, MPI_Aint offset, Row elements, Row blocks) {
  const Wide in_block = clamped(Wide(elements.count - 1) * elements.stride);
  const Wide between = clamped(Wide(blocks.count - 1) * blocks.stride);
  const Wide lowest = std::min({type.lower_, type.lower_ + type.extent_, type.true_lower_});
  const Wide highest = std::max({type.lower_, type.lower_ + type.extent_, type.true_lower_ + type.true_extent_});
  const Wide bytes = clamped(clamped(Wide(elements.count) * type.size_) * Wide(blocks.count));
  out_of_range_ = out_of_range_ || exceeds_max_offset(bytes) ||
                  exceeds_max_offset(Wide(elements.count) * Wide(elements.stride)) ||
                  exceeds_max_offset(Wide(blocks.count) * Wide(blocks.stride)) ||
                  exceeds_max_offset(offset + lowest + std::min<Wide>(in_block, 0) + std::min<Wide>(between, 0)) ||
                  exceeds_max_offset(offset + highest + std::max<Wide>(in_block, 0) + std::max<Wide>(between, 0));
  return !out_of_range_;
}

void DatatypeBuilder::add(const Datatype& type, MPI_Aint offset, std::size_t count, MPI_Aint stride) {
  if (count == 0 || !check_range(type, offset, {1, 0}, {count, stride})) {
    return;
  }
  widen(type, offset, offset + static_cast<MPI_Aint>(count - 1) * stride);
  map_.add(type.typemap_, offset, count, stride);
  signature_.add(type.signature_, count);
}

void DatatypeBuilder::add_blocks(const Datatype& type, MPI_Aint offset, std::size_t length, std::size_t count,
                                 MPI_Aint stride) {
  if (length == 0 || count == 0 || !check_range(type, offset, {length, type.extent_}, {count, stride})) {
    return;
  }
  const MPI_Aint in_block = static_cast<MPI_Aint>(length - 1) * type.extent_;
  const MPI_Aint between = static_cast<MPI_Aint>(count - 1) * stride;
  widen(type, offset + std::min<MPI_Aint>(in_block, 0) + std::min<MPI_Aint>(between, 0),
        offset + std::max<MPI_Aint>(in_block, 0) + std::max<MPI_Aint>(between, 0));
  map_.add(Typemap::repeat(type.typemap_, length, type.extent_), offset, count, stride);
  signature_.add(type.signature_, length * count);
}

void DatatypeBuilder::add_map(const Datatype& type, const std::shared_ptr<const Typemap>& map, MPI_Aint offset,
                              std::size_t elements) {
  if (elements == 0) {
    return;
  }
  widen(type, offset, offset);
  map_.add(map, offset);
  signature_.add(type.signature_, elements);
}

void DatatypeBuilder::set_bounds(MPI_Aint lower, MPI_Aint extent) {
  out_of_range_ = out_of_range_ || exceeds_max_offset(lower) || exceeds_max_offset(extent) ||
                  exceeds_max_offset(Wide{lower} + extent);
  if (out_of_range_) {
    return;
  }
  lower_ = lower;
  upper_ = lower + extent;
  alignment_ = 1;  // bounds that the program has set are not padded
}

void DatatypeBuilder::set_markers(std::optional<MPI_Aint> lower, std::optional<MPI_Aint> upper) {
  out_of_range_ = out_of_range_ || exceeds_max_offset(lower.value_or(0)) || exceeds_max_offset(upper.value_or(0));
  if (out_of_range_) {
    return;
  }
  lower_ = lower.value_or(lower_);
  upper_ = upper.value_or(upper_);
}

void DatatypeBuilder::pad() {
  const auto alignment = static_cast<MPI_Aint>(alignment_);
  const MPI_Aint over = (upper_ - lower_) % alignment;
  upper_ += over == 0 ? 0 : alignment - over;
}

// Extends the bounds by those of elements with offsets in [first, last], and merges what is known of their basic types.
void DatatypeBuilder::widen(const Datatype& type, MPI_Aint first, MPI_Aint last) {
  const MPI_Aint lower = std::min(first, last) + type.lower_;
  const MPI_Aint upper = std::max(first, last) + type.lower_ + type.extent_;
  lower_ = empty_ ? lower : std::min(lower_, lower);
  upper_ = empty_ ? upper : std::max(upper_, upper);
  const bool same = empty_ || (basic_ == type.basic_ && basic_size_ == type.basic_size_);
  basic_ = same ? type.basic_ : Basic::none;
  basic_size_ = same ? type.basic_size_ : 0;
  alignment_ = std::max(alignment_, type.alignment_);
  empty_ = false;
}

std::shared_ptr<Datatype> DatatypeBuilder::build() {
  if (out_of_range_ || exceeds_max_offset(Wide{upper_} - lower_)) {
    return nullptr;
  }
  auto type = std::make_shared<Datatype>();
  type->typemap_ = map_.build();
  type->signature_ = signature_.build();
  type->lower_ = lower_;
  type->extent_ = upper_ - lower_;
  type->basic_ = basic_;
  type->basic_size_ = basic_size_;
  type->alignment_ = alignment_;
  finish(*type);
  return type;
}

// Derives what messages need from the map and the bounds.
void DatatypeBuilder::finish(Datatype& type) {
  const Typemap& map = *type.typemap_;
  type.size_ = map.size();
  type.true_lower_ = map.low();
  type.true_extent_ = map.high() - map.low();
  const bool block = map.is_block();
  const auto size = static_cast<MPI_Aint>(type.size_);
  type.contiguous_ = type.size_ == 0 || (block && map.low() == 0 && type.extent_ == size);
  if (type.size_ == 0) {
    return;
  }
  const Loop& first = map.loops().front();
  if (block) {
    type.elements_ = {.offset = first.offset, .bytes = first.bytes, .stride = type.extent_};
  } else if (map.loops().size() == 1 && first.stride * static_cast<MPI_Aint>(first.count) == type.extent_) {
    type.elements_ = {.offset = first.offset, .bytes = first.bytes, .stride = first.stride, .inner = first.inner};
  } else {
    type.elements_ = {.bytes = type.size_, .stride = type.extent_, .inner = type.typemap_};
  }
}

std::shared_ptr<Datatype> DatatypeBuilder::copy(const Datatype& type) {
  auto copy = std::make_shared<Datatype>(type);
  copy->attributes.clear();
  copy->name.clear();
  copy->handle = MPI_DATATYPE_NULL;
  return copy;
}

void DatatypeBuilder::set_recipe(Datatype& type, std::shared_ptr<const DatatypeRecipe> recipe) {
  type.recipe_ = std::move(recipe);
}

std::unique_ptr<Datatype> DatatypeBuilder::predefined(const NamedDatatype& named) {
  TypemapBuilder map;
  SignatureBuilder signature;
  map.add_block(0, named.bytes);
  map.add_block(named.index.offset, named.index.bytes);
  signature.add_basic(named.bytes, 1);
  signature.add_basic(named.index.bytes, 1);
  auto type = std::make_unique<Datatype>();
  type->typemap_ = map.build();
  type->signature_ = signature.build();
  const auto mask = static_cast<MPI_Aint>(named.alignment) - 1;
  type->extent_ = (type->typemap_->high() + mask) & ~mask;
  type->basic_ = named.basic;
  type->basic_size_ = type->typemap_->size();
  type->alignment_ = named.alignment;
  type->handle = named.handle;
  type->name = named.name;
  type->committed = true;
  finish(*type);
  return type;
}

}  // namespace datatype
}  // namespace weft::mpi_shim
