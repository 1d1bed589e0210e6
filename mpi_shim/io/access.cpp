#include "mpi_shim/io/access.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include "mpi_shim/io/hints.hpp"

namespace weft::mpi_shim::io {

namespace {

// Data sieving: short runs that lie near each other are read together, since a system call costs as much as some
// kilobytes.
constexpr std::uint64_t kShortRun = 4096;
constexpr std::uint64_t kSparse = 32;  // no sieving if it reads more than so many times the data

using Memory = std::unique_ptr<std::byte[]>;

Memory allocate(std::size_t bytes) { return Memory(new std::byte[bytes]); }

// Writes contiguous memory, one call for each run of the file.
int write_runs(const Access& access, std::uint64_t begin, std::span<const std::byte> bytes) {
  int error = 0;
  const std::byte* from = bytes.data();
  access.map.for_each_run(begin, begin + bytes.size(), [&](std::uint64_t offset, std::size_t length) {
    error = error != 0 ? error : access.posix->write({from, length}, offset);
    from += length;
  });
  return error;
}

// Reads run by run; stops at the first run that reaches beyond the end of the file.
AccessResult read_runs(const Access& access, std::uint64_t begin, std::span<std::byte> bytes) {
  AccessResult result;
  bool ended = false;
  std::byte* to = bytes.data();
  access.map.for_each_run(begin, begin + bytes.size(), [&](std::uint64_t offset, std::size_t length) {
    if (ended) {
      return;
    }
    std::size_t got = 0;
    result.error = access.posix->read({to, length}, offset, got);
    result.bytes += got;
    ended = result.error != 0 || got < length;
    to += length;
  });
  return result;
}

bool worth_sieving(const Access& access, std::uint64_t begin, std::uint64_t end) {
  if (!access.map.is_sorted() || access.map.typical_run() >= kShortRun ||
      hint_is(access.hints, "romio_ds_read", "disable") || end - begin <= access.map.typical_run()) {
    return false;
  }
  const std::uint64_t span = access.map.offset_of(end - 1) + 1 - access.map.offset_of(begin);
  return span / kSparse <= end - begin;
}

// Data sieving: reads everything between the first and the last byte, one buffer after the other, and copies the view's
// data from there.
AccessResult read_sieved(const Access& access, std::uint64_t begin, std::span<std::byte> bytes) {
  const std::size_t window = number_of(access.hints, "ind_rd_buffer_size", kSieveBytes);
  const std::uint64_t end = begin + bytes.size();
  const std::uint64_t last = access.map.offset_of(end - 1) + 1;
  const Memory sieve = allocate(window);
  AccessResult result;
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t low = access.map.offset_of(at);
    const std::uint64_t high = std::min<std::uint64_t>(low + window, last);
    const std::uint64_t until = std::min(access.map.position_at(high), end);
    std::size_t got = 0;
    result.error = access.posix->read({sieve.get(), high - low}, low, got);
    if (result.error != 0) {
      return result;
    }
    const std::uint64_t there = std::min(access.map.position_at(low + got), until);
    std::byte* to = bytes.data() + (at - begin);
    access.map.for_each_run(at, there, [&](std::uint64_t offset, std::size_t length) {
      std::memcpy(to, sieve.get() + (offset - low), length);
      to += length;
    });
    result.bytes = there - begin;
    if (there < until) {
      return result;
    }
    at = until;
  }
  return result;
}

AccessResult read_contiguous(const Access& access, std::uint64_t begin, std::span<std::byte> bytes) {
  return worth_sieving(access, begin, begin + bytes.size()) ? read_sieved(access, begin, bytes)
                                                            : read_runs(access, begin, bytes);
}

// Memory with gaps: packs or unpacks through a contiguous buffer.
AccessResult access_packed(const Access& access) {
  const std::size_t total = access.memory.bytes;
  const std::size_t most = std::min(total, kSieveBytes);
  const Memory packed = allocate(most);
  AccessResult result;
  for (std::size_t done = 0; done < total;) {
    const std::span<std::byte> part{packed.get(), std::min(most, total - done)};
    if (access.writes) {
      copy_out(access.memory, done, part);
      result.error = write_runs(access, access.begin + done, part);
      result.bytes += result.error == 0 ? part.size() : 0;
    } else {
      const AccessResult read = read_contiguous(access, access.begin + done, part);
      copy_in(access.memory, done, part.first(read.bytes));
      result.error = read.error;
      result.bytes += read.bytes;
    }
    done += part.size();
    if (result.bytes < done) {
      return result;
    }
  }
  return result;
}

}  // namespace

void copy_out(const runtime::Buffer& memory, std::uint64_t skip, std::span<std::byte> bytes) {
  if (memory.layout != nullptr) {
    memory.layout->pack(memory.base, memory.count, skip, bytes);
  } else if (!bytes.empty()) {
    std::memcpy(bytes.data(), static_cast<const std::byte*>(memory.base) + skip, bytes.size());
  }
}

void copy_in(const runtime::Buffer& memory, std::uint64_t skip, std::span<const std::byte> bytes) {
  if (memory.layout != nullptr) {
    memory.layout->unpack(memory.base, memory.count, skip, bytes);
  } else if (!bytes.empty()) {
    std::memcpy(static_cast<std::byte*>(memory.base) + skip, bytes.data(), bytes.size());
  }
}

AccessResult access_independently(const Access& access) {
  if (access.memory.bytes == 0 || access.error != 0) {
    return {access.error, 0};
  }
  std::optional<RangeLock> lock;
  if (access.atomic) {
    // Run by run: where filetypes overlap, the last byte of the data need not be the last one in the file.
    std::uint64_t low = UINT64_MAX;
    std::uint64_t high = 0;
    access.map.for_each_run(access.begin, access.end(), [&](std::uint64_t offset, std::size_t length) {
      low = std::min(low, offset);
      high = std::max(high, offset + length);
    });
    lock.emplace(*access.posix, access.writes, low, high);
    if (lock->error() != 0) {
      return {lock->error(), 0};
    }
  }
  auto* const base = static_cast<std::byte*>(access.memory.base);
  if (access.memory.layout != nullptr) {
    return access_packed(access);
  }
  if (access.writes) {
    const int error = write_runs(access, access.begin, {base, access.memory.bytes});
    return {error, error == 0 ? access.memory.bytes : 0};
  }
  return read_contiguous(access, access.begin, {base, access.memory.bytes});
}

}  // namespace weft::mpi_shim::io
