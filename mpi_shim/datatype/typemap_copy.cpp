// The copies between a user's buffer and packed bytes. One template for both directions: kPack reads the user's buffer.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "mpi_shim/datatype/typemap.hpp"

namespace weft::mpi_shim {
inline namespace datatype {

namespace {

template <bool kPack>
void copy(std::byte* user, std::byte* packed, std::size_t bytes) {
  if constexpr (kPack) {
    std::memcpy(packed, user, bytes);
  } else {
    std::memcpy(user, packed, bytes);
  }
}

// `count` blocks: how far apart they lie in the user's buffer and in the packed bytes.
struct Strides {
  std::size_t count;
  MPI_Aint user;
  std::size_t packed;
};

// A block size known to the compiler makes each copy a few moves instead of a call.
template <bool kPack, std::size_t kBytes>
void copy_blocks_of(std::byte* user, std::byte* packed, const Strides& strides) {
  const MPI_Aint stride = strides.user;
  const std::size_t step = strides.packed;
  for (std::size_t i = strides.count; i > 0; --i) {
    copy<kPack>(user, packed, kBytes);
    user += stride;
    packed += step;
  }
}

template <bool kPack>
void copy_blocks(std::byte* user, std::byte* packed, std::size_t bytes, const Strides& strides) {
  switch (bytes) {
    case 1:
      return copy_blocks_of<kPack, 1>(user, packed, strides);
    case 2:
      return copy_blocks_of<kPack, 2>(user, packed, strides);
    case 4:
      return copy_blocks_of<kPack, 4>(user, packed, strides);
    case 8:
      return copy_blocks_of<kPack, 8>(user, packed, strides);
    case 12:
      return copy_blocks_of<kPack, 12>(user, packed, strides);
    case 16:
      return copy_blocks_of<kPack, 16>(user, packed, strides);
    case 24:
      return copy_blocks_of<kPack, 24>(user, packed, strides);
    case 32:
      return copy_blocks_of<kPack, 32>(user, packed, strides);
    case 40:
      return copy_blocks_of<kPack, 40>(user, packed, strides);
    case 48:
      return copy_blocks_of<kPack, 48>(user, packed, strides);
    case 64:
      return copy_blocks_of<kPack, 64>(user, packed, strides);
    default:
      for (std::size_t i = 0; i < strides.count; ++i) {
        copy<kPack>(user, packed, bytes);
        user += strides.user;
        packed += strides.packed;
      }
  }
}

template <bool kPack>
void copy_elements(const Typemap& map, std::byte* user, std::byte* packed, const Strides& strides);

// Copies the whole of one element.
template <bool kPack>
void copy_element(const Typemap& map, std::byte* user, std::byte* packed) {
  for (const Loop& loop : map.loops()) {
    std::byte* at = user + loop.offset;
    if (loop.inner == nullptr) {
      copy_blocks<kPack>(at, packed, loop.bytes, {loop.count, loop.stride, loop.bytes});
      packed += loop.bytes * loop.count;
    } else {
      copy_elements<kPack>(*loop.inner, at, packed, {loop.count, loop.stride, loop.bytes});
      packed += loop.bytes * loop.count;
    }
  }
}

// Structures of a few members: member by member over a run of elements that stays in the first-level cache. Unpacking
// elements that overlap must keep their order.
template <bool kPack>
bool by_members(const Typemap& map, MPI_Aint stride) {
  return map.is_structure() && (kPack || std::abs(stride) >= map.high() - map.low());
}

template <bool kPack>
void copy_elements(const Typemap& map, std::byte* user, std::byte* packed, const Strides& strides) {
  constexpr std::size_t kRun = 64;
  const bool members = by_members<kPack>(map, strides.user);
  for (std::size_t done = 0; done < strides.count;) {
    std::byte* const at = user + static_cast<MPI_Aint>(done) * strides.user;
    std::byte* const to = packed + done * strides.packed;
    if (!members) {
      copy_element<kPack>(map, at, to);
      ++done;
      continue;
    }
    const std::size_t run = std::min(kRun, strides.count - done);
    for (const Loop& member : map.loops()) {
      copy_blocks<kPack>(at + member.offset, to + member.start, member.bytes, {run, strides.user, strides.packed});
    }
    done += run;
  }
}

template <bool kPack>
void copy_part(const Typemap& map, std::byte* user, std::size_t skip, std::byte* packed, std::size_t length);

// Packed bytes [skip, skip + length) of one repetition at `user`, fewer than all.
template <bool kPack>
void copy_part_of_one(const Loop& loop, std::byte* user, std::size_t skip, std::byte* packed, std::size_t length) {
  if (loop.inner == nullptr) {
    copy<kPack>(user + skip, packed, length);
  } else {
    copy_part<kPack>(*loop.inner, user, skip, packed, length);
  }
}

template <bool kPack>
void copy_loop(const Loop& loop, std::byte* user, std::size_t skip, std::byte* packed, std::size_t length) {
  user += loop.offset;
  if (skip > 0) {
    user += static_cast<MPI_Aint>(skip / loop.bytes) * loop.stride;
    skip %= loop.bytes;
    if (skip > 0) {
      const std::size_t part = std::min(length, loop.bytes - skip);
      copy_part_of_one<kPack>(loop, user, skip, packed, part);
      user += loop.stride;
      packed += part;
      length -= part;
    }
  }
  const std::size_t whole = length / loop.bytes;
  if (loop.inner == nullptr) {
    copy_blocks<kPack>(user, packed, loop.bytes, {whole, loop.stride, loop.bytes});
  } else {
    copy_elements<kPack>(*loop.inner, user, packed, {whole, loop.stride, loop.bytes});
  }
  const std::size_t copied = whole * loop.bytes;
  if (copied < length) {
    copy_part_of_one<kPack>(loop, user + static_cast<MPI_Aint>(whole) * loop.stride, 0, packed + copied,
                            length - copied);
  }
}

template <bool kPack>
void copy_part(const Typemap& map, std::byte* user, std::size_t skip, std::byte* packed, std::size_t length) {
  const std::vector<Loop>& loops = map.loops();
  auto loop = std::upper_bound(loops.begin(), loops.end(), skip,
                               [](std::size_t position, const Loop& right) { return position < right.start; });
  --loop;
  for (skip -= loop->start; length > 0; ++loop, skip = 0) {
    const std::size_t part = std::min(length, loop->bytes * loop->count - skip);
    copy_loop<kPack>(*loop, user, skip, packed, part);
    packed += part;
    length -= part;
  }
}

}  // namespace

void Loop::pack(const std::byte* user, std::size_t skip, std::byte* packed, std::size_t length) const {
  copy_loop<true>(*this, const_cast<std::byte*>(user), skip, packed, length);
}

void Loop::unpack(std::byte* user, std::size_t skip, const std::byte* packed, std::size_t length) const {
  copy_loop<false>(*this, user, skip, const_cast<std::byte*>(packed), length);
}

}  // namespace datatype
}  // namespace weft::mpi_shim
