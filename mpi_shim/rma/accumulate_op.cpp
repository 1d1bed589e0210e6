#include "mpi_shim/rma/accumulate_op.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace weft::mpi_shim::rma {

namespace {

constexpr std::size_t kBasics = static_cast<std::size_t>(Basic::packed) + 1;

std::array<const Datatype*, kBasics> types_by_basic() {
  std::array<const Datatype*, kBasics> types{};
  for (const Datatype* type : kPredefined) {
    if (type != nullptr && types[static_cast<std::size_t>(type->basic())] == nullptr) {
      types[static_cast<std::size_t>(type->basic())] = type;
    }
  }
  return types;
}

std::size_t bytes_of(std::span<const StridedRegion> regions) {
  std::size_t bytes = 0;
  for (const StridedRegion& region : regions) {
    bytes += region.bytes * region.count;
  }
  return bytes;
}

bool is_aligned(const std::byte* address, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(address) % alignment == 0;
}

// Unpacked elements, with the layout that they have in an array.
class ElementArray {
 public:
  ElementArray(const Datatype& element, std::size_t count)
      : element_(element),
        count_(count),
        memory_((count * element_bytes(element) + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t)) {}
  void* data() { return memory_.data(); }
  void fill(const std::byte* packed) { element_.unpack(data(), count_, 0, {packed, count_ * element_.size()}); }
  void pack(std::byte* packed) { element_.pack(data(), count_, 0, {packed, count_ * element_.size()}); }

 private:
  const Datatype& element_;
  const std::size_t count_;
  std::vector<std::max_align_t> memory_;
};

}  // namespace

const Datatype* element_of(const Datatype& type) {
  static const std::array<const Datatype*, kBasics> types = types_by_basic();
  if (type.predefined()) {
    return &type;
  }
  return type.basic() == Basic::none ? nullptr : types[static_cast<std::size_t>(type.basic())];
}

AccumulateOp::AccumulateOp(MPI_Op op, const Datatype& element)
    : op_(op),
      element_(element),
      kernel_(predefined_kernel(op, element)),
      padded_(element_bytes(element) != element.size()) {}

void AccumulateOp::apply(std::span<const StridedRegion> regions, std::byte* address, const std::byte* packed,
                         std::byte* old) const {
  if (old != nullptr) {
    gather(regions, address, old);
  }
  if (op_ == MPI_NO_OP) {
    return;
  }
  if (op_ == MPI_REPLACE) {
    scatter(regions, address, packed);
  } else if (can_apply_in_place(regions, address, packed)) {
    for_each_block(regions, address, [&](std::byte* at, std::size_t bytes) {
      kernel_(packed, at, bytes / unit());
      packed += bytes;
    });
  } else {
    apply_to_copies(regions, address, packed);
  }
}

void AccumulateOp::apply_one(std::byte* address, const void* value, void* old) const {
  if (padded_ || !is_aligned(address, element_.alignment())) {
    std::vector<std::byte> from(unit());
    std::vector<std::byte> before(unit());
    RegionList regions(2);
    collect(element_, 0, unit(), 1, regions);
    if (op_ != MPI_NO_OP) {
      element_.pack(value, 1, 0, from);
    }
    apply(regions.list(), address, from.data(), before.data());
    element_.unpack(old, 1, 0, before);
    return;
  }
  std::memcpy(old, address, unit());
  if (op_ == MPI_REPLACE) {
    std::memcpy(address, value, unit());
  } else if (op_ != MPI_NO_OP) {
    kernel_(value, address, 1);
  }
}

bool AccumulateOp::can_apply_in_place(std::span<const StridedRegion> regions, const std::byte* address,
                                      const std::byte* packed) const {
  const std::size_t alignment = element_.alignment();
  const auto fits = [&](const StridedRegion& region) {
    return region.bytes % unit() == 0 && is_aligned(address + region.offset, alignment) &&
           (region.count == 1 || region.stride % static_cast<std::int64_t>(alignment) == 0);
  };
  return !padded_ && is_aligned(packed, alignment) && std::all_of(regions.begin(), regions.end(), fits);
}

void AccumulateOp::apply_to_copies(std::span<const StridedRegion> regions, std::byte* address,
                                   const std::byte* packed) const {
  const std::size_t bytes = bytes_of(regions);
  const std::size_t count = bytes / unit();
  std::vector<std::byte> room(bytes);
  ElementArray from(element_, count);
  ElementArray into(element_, count);
  from.fill(packed);
  gather(regions, address, room.data());
  into.fill(room.data());
  kernel_(from.data(), into.data(), count);
  into.pack(room.data());
  scatter(regions, address, room.data());
}

}  // namespace weft::mpi_shim::rma
