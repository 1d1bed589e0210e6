#include "mpi_shim/rma/strided_regions.hpp"

#include <algorithm>

namespace weft::mpi_shim::rma {

namespace {

std::int64_t signed_of(std::size_t n) { return static_cast<std::int64_t>(n); }

std::size_t collect_map(const Typemap& map, std::int64_t at, std::size_t skip, std::size_t length, RegionList& regions);

// Blocks in which the range begins or ends are cut.
std::size_t collect_blocks(const Loop& loop, std::int64_t at, std::size_t skip, std::size_t length,
                           RegionList& regions) {
  std::size_t done = 0;
  while (done < length) {
    const std::size_t whole = skip == 0 ? (length - done) / loop.bytes : 0;
    const std::size_t part = std::min(loop.bytes - skip, length - done);
    const StridedRegion region =
        whole > 0 ? StridedRegion{at, loop.bytes, whole, loop.stride} : StridedRegion{at + signed_of(skip), part, 1, 0};
    if (!regions.add(region)) {
      break;
    }
    done += region.bytes * region.count;
    at += signed_of(region.count) * loop.stride;
    skip = 0;
  }
  return done;
}

std::size_t collect_loop(const Loop& loop, std::int64_t at, std::size_t skip, std::size_t length, RegionList& regions) {
  at += loop.offset + signed_of(skip / loop.bytes) * loop.stride;
  skip %= loop.bytes;
  if (loop.inner == nullptr) {
    return collect_blocks(loop, at, skip, length, regions);
  }
  std::size_t done = 0;
  while (done < length) {
    const std::size_t part = std::min(loop.bytes - skip, length - done);
    const std::size_t got = collect_map(*loop.inner, at, skip, part, regions);
    done += got;
    if (got < part) {
      break;
    }
    at += loop.stride;
    skip = 0;
  }
  return done;
}

std::size_t collect_map(const Typemap& map, std::int64_t at, std::size_t skip, std::size_t length,
                        RegionList& regions) {
  const std::vector<Loop>& loops = map.loops();
  auto loop = std::upper_bound(loops.begin(), loops.end(), skip,
                               [](std::size_t position, const Loop& right) { return position < right.start; });
  --loop;
  std::size_t done = 0;
  for (skip -= loop->start; done < length; ++loop, skip = 0) {
    const std::size_t part = std::min(length - done, loop->bytes * loop->count - skip);
    const std::size_t got = collect_loop(*loop, at, skip, part, regions);
    done += got;
    if (got < part) {
      break;
    }
  }
  return done;
}

// The elements of a message as one loop.
Loop elements_of(const Datatype& type) {
  const Typemap& map = type.typemap();
  if (map.is_block()) {
    return {.offset = map.low(), .bytes = type.size(), .stride = type.extent()};
  }
  return {.bytes = type.size(), .stride = type.extent(), .inner = type.shared_typemap()};
}

// A block size known to the compiler makes each copy a few moves instead of a call.
template <typename Copy>
void copy_blocks(std::span<const StridedRegion> regions, std::byte* address, std::byte* packed, Copy&& copy) {
  for_each_block(regions, address, [&](std::byte* at, std::size_t bytes) {
    if (bytes == 8) {
      copy(at, packed, std::integral_constant<std::size_t, 8>());
    } else if (bytes == 4) {
      copy(at, packed, std::integral_constant<std::size_t, 4>());
    } else {
      copy(at, packed, bytes);
    }
    packed += bytes;
  });
}

}  // namespace

bool RegionList::add(const StridedRegion& region) {
  if (!list_.empty() && merge(region)) {
    return true;
  }
  if (list_.size() == most_) {
    return false;
  }
  const bool in_a_row = region.count > 1 && region.stride == signed_of(region.bytes);
  list_.push_back(in_a_row ? StridedRegion{region.offset, region.bytes * region.count, 1, 0} : region);
  return true;
}

bool RegionList::merge(const StridedRegion& region) {
  StridedRegion& last = list_.back();
  if (region.count != 1) {
    return false;
  }
  if (last.count == 1 && last.offset + signed_of(last.bytes) == region.offset) {
    last.bytes += region.bytes;
    return true;
  }
  if (last.bytes != region.bytes) {
    return false;
  }
  const std::int64_t stride = last.count > 1 ? last.stride : region.offset - last.offset;
  if (region.offset != last.offset + signed_of(last.count) * stride) {
    return false;
  }
  last.stride = stride;
  ++last.count;
  return true;
}

std::size_t collect(const Datatype& type, std::size_t skip, std::size_t length, std::size_t unit, RegionList& regions) {
  regions.clear();
  if (length == 0) {
    return 0;
  }
  if (type.contiguous()) {
    regions.add({signed_of(skip), length, 1, 0});
    return length;
  }
  const Loop elements = elements_of(type);
  const std::size_t got = collect_loop(elements, 0, skip, length, regions);
  if (got % unit == 0) {
    return got;
  }
  regions.clear();
  return collect_loop(elements, 0, skip, got - got % unit, regions);
}

void gather(std::span<const StridedRegion> regions, const std::byte* address, std::byte* packed) {
  copy_blocks(regions, const_cast<std::byte*>(address), packed,
              [](std::byte* at, std::byte* to, std::size_t bytes) { std::memcpy(to, at, bytes); });
}

void scatter(std::span<const StridedRegion> regions, std::byte* address, const std::byte* packed) {
  copy_blocks(regions, address, const_cast<std::byte*>(packed),
              [](std::byte* at, std::byte* from, std::size_t bytes) { std::memcpy(at, from, bytes); });
}

}  // namespace weft::mpi_shim::rma
