// The copies between a user's buffer and packed bytes. One template for both directions: kPack reads the user's buffer.
#include <algorithm>
#include <cstring>

#include "mpi_shim/typemap.hpp"

namespace weft::mpi_shim {

namespace {

template <bool kPack>
void copy(std::byte* user, std::byte* packed, std::size_t bytes) {
  if constexpr (kPack) {
    std::memcpy(packed, user, bytes);
  } else {
    std::memcpy(user, packed, bytes);
  }
}

// A block size known to the compiler makes each copy a few moves instead of a call.
template <bool kPack, std::size_t kBytes>
void copy_blocks_of(std::byte* user, MPI_Aint stride, std::size_t count, std::byte* packed) {
  for (std::size_t i = 0; i < count; ++i) {
    copy<kPack>(user, packed, kBytes);
    user += stride;
    packed += kBytes;
  }
}

template <bool kPack>
void copy_blocks(std::byte* user, std::size_t bytes, MPI_Aint stride, std::size_t count, std::byte* packed) {
  switch (bytes) {
    case 1:
      return copy_blocks_of<kPack, 1>(user, stride, count, packed);
    case 2:
      return copy_blocks_of<kPack, 2>(user, stride, count, packed);
    case 4:
      return copy_blocks_of<kPack, 4>(user, stride, count, packed);
    case 8:
      return copy_blocks_of<kPack, 8>(user, stride, count, packed);
    case 12:
      return copy_blocks_of<kPack, 12>(user, stride, count, packed);
    case 16:
      return copy_blocks_of<kPack, 16>(user, stride, count, packed);
    case 24:
      return copy_blocks_of<kPack, 24>(user, stride, count, packed);
    case 32:
      return copy_blocks_of<kPack, 32>(user, stride, count, packed);
    case 40:
      return copy_blocks_of<kPack, 40>(user, stride, count, packed);
    case 48:
      return copy_blocks_of<kPack, 48>(user, stride, count, packed);
    case 64:
      return copy_blocks_of<kPack, 64>(user, stride, count, packed);
    default:
      for (std::size_t i = 0; i < count; ++i) {
        copy<kPack>(user, packed, bytes);
        user += stride;
        packed += bytes;
      }
  }
}

// All of one element.
template <bool kPack>
void copy_element(const Typemap& map, std::byte* user, std::byte* packed) {
  for (const Loop& loop : map.loops()) {
    std::byte* at = user + loop.offset;
    if (loop.inner == nullptr) {
      copy_blocks<kPack>(at, loop.bytes, loop.stride, loop.count, packed);
      packed += loop.bytes * loop.count;
    } else {
      for (std::size_t i = 0; i < loop.count; ++i) {
        copy_element<kPack>(*loop.inner, at, packed);
        at += loop.stride;
        packed += loop.bytes;
      }
    }
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
    copy_blocks<kPack>(user, loop.bytes, loop.stride, whole, packed);
  } else {
    for (std::size_t i = 0; i < whole; ++i) {
      copy_element<kPack>(*loop.inner, user + static_cast<MPI_Aint>(i) * loop.stride, packed + i * loop.bytes);
    }
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

}  // namespace weft::mpi_shim
