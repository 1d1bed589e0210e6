// Which bytes of a file a view shows. Displacement and filetype map positions in the view's data, which has no gaps, to
// offsets in the file. All numbers are bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "mpi_shim/datatype/datatype.hpp"
#include "mpi_shim/datatype/typemap.hpp"

namespace weft::mpi_shim::io {

// Passes runs of bytes to visit(); merges runs that touch.
template <typename Visit>
class RunCoalescer {
 public:
  explicit RunCoalescer(Visit& visit) : visit_(visit) {}
  void add(std::int64_t offset, std::size_t bytes) {
    if (offset == end_ && bytes_ > 0) {
      bytes_ += bytes;
    } else {
      flush();
      start_ = offset;
      bytes_ = bytes;
    }
    end_ = start_ + static_cast<std::int64_t>(bytes_);
  }
  void flush() {
    if (bytes_ > 0) {
      visit_(static_cast<std::uint64_t>(start_), bytes_);
      bytes_ = 0;
    }
  }

 private:
  Visit& visit_;
  std::int64_t start_ = 0, end_ = 0;
  std::size_t bytes_ = 0;
};

// How the displacements of a datatype's data follow each other. Views require increasing ones; a file that is only read
// may show a byte twice.
enum class DisplacementOrder : std::uint8_t { increasing, overlapping, decreasing };
DisplacementOrder displacement_order(const Typemap& map);

// Immutable.
class FileMap {
 public:
  FileMap() = default;  // an empty view
  FileMap(MPI_Offset displacement, const Datatype& filetype);
  // The same for a filetype whose elements have other sizes in the file: all numbers are multiplied by `file_bytes` /
  // `memory_bytes`. If one of them is not a whole number then, `fits` is false and the map is empty.
  FileMap(MPI_Offset displacement, const Datatype& filetype, std::uint64_t file_bytes, std::uint64_t memory_bytes,
          bool& fits);
  // A file without gaps from the displacement on.
  explicit FileMap(MPI_Offset displacement);

  std::size_t tile_bytes() const { return bytes_; }  // data in one filetype
  // Whether file offsets increase with data positions, and no byte is shown twice.
  bool is_sorted() const { return sorted_; }
  // The average length of a contiguous run; UINT64_MAX for a view without gaps or without data.
  std::uint64_t typical_run() const;

  std::uint64_t offset_of(std::uint64_t position) const;
  // How many of the view's data bytes lie before a file offset. An estimate unless is_sorted().
  std::uint64_t position_at(std::uint64_t offset) const;

  // Calls visit(file offset, bytes) for the data at positions [begin, end), in their order.
  template <typename Visit>
  void for_each_run(std::uint64_t begin, std::uint64_t end, Visit&& visit) const;

  void pup(pup::Puper& p) { p | displacement_ | map_ | extent_ | bytes_ | sorted_ | gapless_; }

 private:
  FileMap(MPI_Offset displacement, std::shared_ptr<const Typemap> map, std::int64_t extent);
  template <typename Sink>
  static void walk(const Typemap& map, std::int64_t base, std::size_t skip, std::size_t length, Sink& sink);
  template <typename Sink>
  static void walk_loop(const Loop& loop, std::int64_t base, std::size_t skip, std::size_t length, Sink& sink);

  std::int64_t displacement_ = 0;
  std::shared_ptr<const Typemap> map_;
  std::int64_t extent_ = 0;
  std::size_t bytes_ = 0;
  bool sorted_ = true;
  bool gapless_ = false;
};

template <typename Sink>
void FileMap::walk_loop(const Loop& loop, std::int64_t base, std::size_t skip, std::size_t length, Sink& sink) {
  base += loop.offset + static_cast<std::int64_t>(skip / loop.bytes) * loop.stride;
  skip %= loop.bytes;
  while (length > 0) {
    const std::size_t part = std::min(length, loop.bytes - skip);
    if (loop.inner == nullptr) {
      sink.add(base + static_cast<std::int64_t>(skip), part);
    } else {
      walk(*loop.inner, base, skip, part, sink);
    }
    base += loop.stride;
    length -= part;
    skip = 0;
  }
}

template <typename Sink>
void FileMap::walk(const Typemap& map, std::int64_t base, std::size_t skip, std::size_t length, Sink& sink) {
  const std::vector<Loop>& loops = map.loops();
  auto loop = std::upper_bound(loops.begin(), loops.end(), skip,
                               [](std::size_t position, const Loop& right) { return position < right.start; });
  --loop;
  for (skip -= loop->start; length > 0; ++loop, skip = 0) {
    const std::size_t part = std::min(length, loop->bytes * loop->count - skip);
    walk_loop(*loop, base, skip, part, sink);
    length -= part;
  }
}

template <typename Visit>
void FileMap::for_each_run(std::uint64_t begin, std::uint64_t end, Visit&& visit) const {
  if (begin >= end || bytes_ == 0) {
    return;
  }
  if (gapless_) {
    visit(offset_of(begin), static_cast<std::size_t>(end - begin));
    return;
  }
  RunCoalescer<Visit> runs(visit);
  auto tile = static_cast<std::int64_t>(begin / bytes_);
  std::size_t skip = begin % bytes_;
  for (std::uint64_t left = end - begin; left > 0; ++tile, skip = 0) {
    const std::size_t part = std::min<std::uint64_t>(left, bytes_ - skip);
    walk(*map_, displacement_ + tile * extent_, skip, part, runs);
    left -= part;
  }
  runs.flush();
}

}  // namespace weft::mpi_shim::io
