#include "mpi_shim/datatype/typemap.hpp"

#include <algorithm>

namespace weft::mpi_shim {
inline namespace datatype {

namespace {

// Maps of at most this many loops are copied into the map that repeats them once, rather than nested.
constexpr std::size_t kInlineLoops = 64;
// Short repetitions of short maps are unrolled up to this many loops.
constexpr std::size_t kUnrolledLoops = 8;

MPI_Aint signed_size(std::size_t bytes) { return static_cast<MPI_Aint>(bytes); }

}  // namespace

void Loop::pup(pup::Puper& p) { p | offset | bytes | count | stride | start | inner; }

std::shared_ptr<const Typemap> Typemap::repeat(const std::shared_ptr<const Typemap>& map, std::size_t count,
                                               MPI_Aint stride) {
  if (count == 1) {
    return map;
  }
  TypemapBuilder builder;
  builder.add(map, 0, count, stride);
  return builder.build();
}

void TypemapBuilder::add_block(MPI_Aint offset, std::size_t bytes) {
  if (bytes > 0) {
    append({.offset = offset, .bytes = bytes});
  }
}

void TypemapBuilder::add(const std::shared_ptr<const Typemap>& map, MPI_Aint offset, std::size_t count,
                         MPI_Aint stride) {
  if (count == 0 || map->size() == 0) {
    return;
  }
  const std::vector<Loop>& loops = map->loops();
  const Loop& only = loops.front();
  const bool leaf = loops.size() == 1 && only.inner == nullptr;
  if (count > 1 && leaf && only.count == 1) {
    append({.offset = offset + only.offset, .bytes = only.bytes, .count = count, .stride = stride});
  } else if (count > 1 && leaf && stride == only.stride * signed_size(only.count)) {
    append({.offset = offset + only.offset, .bytes = only.bytes, .count = count * only.count, .stride = only.stride});
  } else if ((count == 1 && loops.size() <= kInlineLoops) ||
             (count <= kUnrolledLoops && count * loops.size() <= kUnrolledLoops)) {
    for (std::size_t i = 0; i < count; ++i) {
      for (Loop loop : loops) {
        loop.offset += offset + signed_size(i) * stride;
        append(std::move(loop));
      }
    }
  } else {
    append({.offset = offset, .bytes = map->size(), .count = count, .stride = stride, .inner = map});
  }
}

std::shared_ptr<const Typemap> TypemapBuilder::build() {
  constexpr std::size_t kMembers = 16;
  const std::vector<Loop>& loops = map_->loops_;
  map_->is_structure_ = loops.size() <= kMembers && std::all_of(loops.begin(), loops.end(), [](const Loop& loop) {
                          return loop.count == 1 && loop.inner == nullptr;
                        });
  return std::move(map_);
}

void TypemapBuilder::append(Loop loop) {
  if (loop.inner == nullptr && loop.count > 1 && loop.stride == signed_size(loop.bytes)) {
    loop.bytes *= loop.count;
    loop.count = 1;
  }
  if (loop.count == 1) {
    loop.stride = 0;
  }
  widen(loop);
  loop.start = map_->size_;
  map_->size_ += loop.bytes * loop.count;
  if (map_->loops_.empty() || !merge(map_->loops_.back(), loop)) {
    map_->loops_.push_back(std::move(loop));
  }
}

// Merges `loop`, which follows `last` in packed order, into `last` if the two form one loop. False if they do not.
bool TypemapBuilder::merge(Loop& last, const Loop& loop) const {
  if (last.inner != nullptr || loop.inner != nullptr) {
    return false;
  }
  if (last.count == 1 && loop.count == 1 && last.offset + signed_size(last.bytes) == loop.offset) {
    last.bytes += loop.bytes;
    return true;
  }
  if (last.bytes != loop.bytes) {
    return false;
  }
  const MPI_Aint stride = last.count > 1 ? last.stride : loop.offset - last.offset;
  const bool continues = loop.offset == last.offset + signed_size(last.count) * stride;
  if (!continues || (loop.count > 1 && loop.stride != stride)) {
    return false;
  }
  last.stride = stride;
  last.count += loop.count;
  return true;
}

void TypemapBuilder::widen(const Loop& loop) {
  const MPI_Aint reach = signed_size(loop.count - 1) * loop.stride;
  const MPI_Aint first = loop.offset + (loop.inner ? loop.inner->low() : 0);
  const MPI_Aint end = loop.offset + (loop.inner ? loop.inner->high() : signed_size(loop.bytes));
  const MPI_Aint low = first + std::min<MPI_Aint>(reach, 0);
  const MPI_Aint high = end + std::max<MPI_Aint>(reach, 0);
  const bool empty = map_->size_ == 0;
  map_->low_ = empty ? low : std::min(map_->low_, low);
  map_->high_ = empty ? high : std::max(map_->high_, high);
}

}  // namespace datatype
}  // namespace weft::mpi_shim
