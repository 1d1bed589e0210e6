#include "mpi_shim/io/file_map.hpp"

namespace weft::mpi_shim::io {

namespace {

__extension__ using Int128 = __int128;

std::int64_t low_of(const Loop& loop) { return loop.inner == nullptr ? 0 : loop.inner->low(); }
std::int64_t high_of(const Loop& loop) {
  return loop.inner == nullptr ? static_cast<std::int64_t>(loop.bytes) : loop.inner->high();
}

bool is_block(const Loop& loop) { return loop.inner == nullptr || loop.inner->is_block(); }

// The order of the displacements in the loop's repetitions.
DisplacementOrder order_within(const Loop& loop) {
  const DisplacementOrder inside =
      loop.inner == nullptr ? DisplacementOrder::increasing : displacement_order(*loop.inner);
  if (loop.count == 1 || loop.stride >= high_of(loop) - low_of(loop)) {
    return inside;
  }
  return loop.stride >= 0 && is_block(loop) ? DisplacementOrder::overlapping : DisplacementOrder::decreasing;
}

std::uint64_t blocks_of(const Typemap& map) {
  std::uint64_t blocks = 0;
  for (const Loop& loop : map.loops()) {
    blocks += loop.count * (loop.inner == nullptr ? 1 : blocks_of(*loop.inner));
  }
  return blocks;
}

// Packed bytes of a sorted map that lie before `limit`.
std::size_t bytes_before(const Typemap& map, std::int64_t limit);

std::size_t bytes_before(const Loop& loop, std::int64_t limit) {
  limit -= loop.offset;
  std::size_t whole = limit >= high_of(loop) ? 1 : 0;
  if (whole == 1 && loop.count > 1 && loop.stride > 0) {
    whole = std::min(loop.count, static_cast<std::size_t>((limit - high_of(loop)) / loop.stride) + 1);
  }
  const std::size_t before = whole * loop.bytes;
  const std::int64_t rest = limit - static_cast<std::int64_t>(whole) * loop.stride;
  if (whole == loop.count || rest <= low_of(loop)) {
    return before;
  }
  return before + (loop.inner == nullptr ? static_cast<std::size_t>(rest) : bytes_before(*loop.inner, rest));
}

std::size_t bytes_before(const Typemap& map, std::int64_t limit) {
  const std::vector<Loop>& loops = map.loops();
  const auto behind = std::partition_point(loops.begin(), loops.end(),
                                           [&](const Loop& loop) { return loop.offset + low_of(loop) < limit; });
  if (behind == loops.begin()) {
    return 0;
  }
  const Loop& last = *(behind - 1);
  return last.start + bytes_before(last, limit);
}

// Multiplies numbers by file_bytes / memory_bytes; `exact` becomes false if a result is not a whole number.
struct Scale {
  std::int64_t file_bytes, memory_bytes;
  bool exact = true;

  std::int64_t operator()(std::int64_t number) {
    const Int128 product = Int128{number} * file_bytes;  // both may be several GiB
    exact &= product % memory_bytes == 0;
    return static_cast<std::int64_t>(product / memory_bytes);
  }
  std::size_t operator()(std::size_t number) {
    return static_cast<std::size_t>((*this)(static_cast<std::int64_t>(number)));
  }
  std::shared_ptr<const Typemap> map(const Typemap& from) {
    TypemapBuilder builder;
    for (const Loop& loop : from.loops()) {
      TypemapBuilder block;
      if (loop.inner == nullptr) {
        block.add_block(0, (*this)(loop.bytes));
      }
      builder.add(loop.inner == nullptr ? block.build() : map(*loop.inner), (*this)(loop.offset), loop.count,
                  (*this)(loop.stride));
    }
    return builder.build();
  }
};

}  // namespace

DisplacementOrder displacement_order(const Typemap& map) {
  DisplacementOrder order = DisplacementOrder::increasing;
  std::int64_t begin = map.loops().empty() ? 0 : map.loops()[0].offset + low_of(map.loops()[0]);
  std::int64_t end = begin;
  for (const Loop& loop : map.loops()) {
    const std::int64_t next = loop.offset + low_of(loop);
    const DisplacementOrder here = next >= end                       ? DisplacementOrder::increasing
                                   : next >= begin && is_block(loop) ? DisplacementOrder::overlapping
                                                                     : DisplacementOrder::decreasing;
    order = std::max({order, here, order_within(loop)});
    begin = loop.offset + static_cast<std::int64_t>(loop.count - 1) * loop.stride + low_of(loop);
    end = std::max(end, begin - low_of(loop) + high_of(loop));
  }
  return order;
}

FileMap::FileMap(MPI_Offset displacement, std::shared_ptr<const Typemap> map, std::int64_t extent)
    : displacement_(displacement), map_(std::move(map)), extent_(extent), bytes_(map_->size()) {
  if (bytes_ > 0) {
    sorted_ = extent_ >= map_->high() - map_->low() && displacement_order(*map_) == DisplacementOrder::increasing;
    gapless_ = map_->is_block() && extent_ == static_cast<std::int64_t>(bytes_);
  }
}

FileMap::FileMap(MPI_Offset displacement, const Datatype& filetype)
    : FileMap(displacement, filetype.shared_typemap(), filetype.extent()) {}

FileMap::FileMap(MPI_Offset displacement, const Datatype& filetype, std::uint64_t file_bytes,
                 std::uint64_t memory_bytes, bool& fits) {
  Scale scale{static_cast<std::int64_t>(file_bytes), static_cast<std::int64_t>(memory_bytes)};
  const auto map = scale.map(filetype.typemap());
  const std::int64_t extent = scale(filetype.extent());
  fits = scale.exact;
  if (fits) {
    *this = FileMap(displacement, map, extent);
  }
}

FileMap::FileMap(MPI_Offset displacement) : FileMap(displacement, *predefined_datatype(MPI_BYTE)) {}

std::uint64_t FileMap::typical_run() const { return gapless_ || bytes_ == 0 ? UINT64_MAX : bytes_ / blocks_of(*map_); }

std::uint64_t FileMap::offset_of(std::uint64_t position) const {
  if (bytes_ == 0) {
    return static_cast<std::uint64_t>(displacement_);
  }
  if (gapless_) {
    return static_cast<std::uint64_t>(displacement_ + map_->low()) + position;
  }
  struct First {
    std::int64_t offset = 0;
    void add(std::int64_t start, std::size_t) { offset = start; }
  } first;
  const auto tile = static_cast<std::int64_t>(position / bytes_);
  walk(*map_, displacement_ + tile * extent_, position % bytes_, 1, first);
  return static_cast<std::uint64_t>(first.offset);
}

std::uint64_t FileMap::position_at(std::uint64_t offset) const {
  if (bytes_ == 0) {
    return 0;
  }
  const std::int64_t from_first = static_cast<std::int64_t>(offset) - displacement_ - map_->low();
  if (from_first <= 0) {
    return 0;
  }
  if (gapless_) {
    return static_cast<std::uint64_t>(from_first);
  }
  const std::int64_t tile = extent_ > 0 ? from_first / extent_ : 0;
  const std::size_t in_tile = bytes_before(*map_, from_first - tile * extent_ + map_->low());
  return static_cast<std::uint64_t>(tile) * bytes_ + std::min(in_tile, bytes_);
}

}  // namespace weft::mpi_shim::io
