#include "mpi_shim/rma/runs.hpp"

#include <algorithm>

namespace weft::mpi_shim::rma {

namespace {

std::int64_t signed_of(std::size_t n) { return static_cast<std::int64_t>(n); }

std::size_t collect_map(const Typemap& map, std::int64_t at, std::size_t skip, std::size_t length, Runs& runs);

// A block is cut where the range begins or ends in it.
std::size_t collect_blocks(const Loop& loop, std::int64_t at, std::size_t skip, std::size_t length, Runs& runs) {
  std::size_t done = 0;
  while (done < length) {
    const std::size_t whole = skip == 0 ? (length - done) / loop.bytes : 0;
    const std::size_t part = std::min(loop.bytes - skip, length - done);
    const Run run = whole > 0 ? Run{at, loop.bytes, whole, loop.stride} : Run{at + signed_of(skip), part, 1, 0};
    if (!runs.add(run)) {
      break;
    }
    done += run.bytes * run.count;
    at += signed_of(run.count) * loop.stride;
    skip = 0;
  }
  return done;
}

std::size_t collect_loop(const Loop& loop, std::int64_t at, std::size_t skip, std::size_t length, Runs& runs) {
  at += loop.offset + signed_of(skip / loop.bytes) * loop.stride;
  skip %= loop.bytes;
  if (loop.inner == nullptr) {
    return collect_blocks(loop, at, skip, length, runs);
  }
  std::size_t done = 0;
  while (done < length) {
    const std::size_t part = std::min(loop.bytes - skip, length - done);
    const std::size_t got = collect_map(*loop.inner, at, skip, part, runs);
    done += got;
    if (got < part) {
      break;
    }
    at += loop.stride;
    skip = 0;
  }
  return done;
}

std::size_t collect_map(const Typemap& map, std::int64_t at, std::size_t skip, std::size_t length, Runs& runs) {
  const std::vector<Loop>& loops = map.loops();
  auto loop = std::upper_bound(loops.begin(), loops.end(), skip,
                               [](std::size_t position, const Loop& right) { return position < right.start; });
  --loop;
  std::size_t done = 0;
  for (skip -= loop->start; done < length; ++loop, skip = 0) {
    const std::size_t part = std::min(length - done, loop->bytes * loop->count - skip);
    const std::size_t got = collect_loop(*loop, at, skip, part, runs);
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
void copy_blocks(std::span<const Run> runs, std::byte* address, std::byte* packed, Copy&& copy) {
  for_each_block(runs, address, [&](std::byte* at, std::size_t bytes) {
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

bool Runs::add(const Run& run) {
  if (!list_.empty() && merge(run)) {
    return true;
  }
  if (list_.size() == most_) {
    return false;
  }
  const bool in_a_row = run.count > 1 && run.stride == signed_of(run.bytes);
  list_.push_back(in_a_row ? Run{run.offset, run.bytes * run.count, 1, 0} : run);
  return true;
}

bool Runs::merge(const Run& run) {
  Run& last = list_.back();
  if (run.count != 1) {
    return false;
  }
  if (last.count == 1 && last.offset + signed_of(last.bytes) == run.offset) {
    last.bytes += run.bytes;
    return true;
  }
  if (last.bytes != run.bytes) {
    return false;
  }
  const std::int64_t stride = last.count > 1 ? last.stride : run.offset - last.offset;
  if (run.offset != last.offset + signed_of(last.count) * stride) {
    return false;
  }
  last.stride = stride;
  ++last.count;
  return true;
}

std::size_t collect(const Datatype& type, std::size_t skip, std::size_t length, std::size_t unit, Runs& runs) {
  runs.clear();
  if (length == 0) {
    return 0;
  }
  if (type.contiguous()) {
    runs.add({signed_of(skip), length, 1, 0});
    return length;
  }
  const Loop elements = elements_of(type);
  const std::size_t got = collect_loop(elements, 0, skip, length, runs);
  if (got % unit == 0) {
    return got;
  }
  runs.clear();
  return collect_loop(elements, 0, skip, got - got % unit, runs);
}

void gather(std::span<const Run> runs, const std::byte* address, std::byte* packed) {
  copy_blocks(runs, const_cast<std::byte*>(address), packed,
              [](std::byte* at, std::byte* to, std::size_t bytes) { std::memcpy(to, at, bytes); });
}

void scatter(std::span<const Run> runs, std::byte* address, const std::byte* packed) {
  copy_blocks(runs, address, const_cast<std::byte*>(packed),
              [](std::byte* at, std::byte* from, std::size_t bytes) { std::memcpy(at, from, bytes); });
}

}  // namespace weft::mpi_shim::rma
