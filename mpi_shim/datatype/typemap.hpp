// Where the bytes of one element of a datatype lie: loops of equal blocks, which may nest. Also the copies along them.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "mpi.h"
#include "pup/pup.hpp"

namespace weft::mpi_shim {
inline namespace datatype {

class Typemap;

// `count` repetitions, `stride` bytes apart, of a contiguous block or of another map.
struct Loop {
  MPI_Aint offset = 0;    // of the first repetition from the element's address
  std::size_t bytes = 0;  // packed bytes of one repetition, never 0
  std::size_t count = 1;
  MPI_Aint stride = 0;
  std::size_t start = 0;                           // packed bytes of the element before this loop
  std::shared_ptr<const Typemap> inner = nullptr;  // null: a contiguous block

  void pup(pup::Puper& p);

  // Copy packed bytes [skip, skip + length) of the loop's repetitions at `user` (the element's address). `count` does
  // not matter: the range may reach beyond it, as in Datatype's loop over all elements of a message.
  void pack(const std::byte* user, std::size_t skip, std::byte* packed, std::size_t length) const;
  void unpack(std::byte* user, std::size_t skip, const std::byte* packed, std::size_t length) const;
};

// Immutable. The order of its loops is the order of the packed bytes.
class Typemap {
 public:
  std::size_t size() const { return size_; }  // packed bytes
  MPI_Aint low() const { return low_; }       // offset of the first byte in memory, 0 for an empty map
  MPI_Aint high() const { return high_; }     // one behind the last
  const std::vector<Loop>& loops() const { return loops_; }
  // Whether the whole map is one block, at low().
  bool is_block() const { return loops_.size() == 1 && loops_[0].count == 1 && loops_[0].inner == nullptr; }
  // Whether the map is a few blocks, none of them repeated.
  bool is_structure() const { return is_structure_; }

  // `count` repetitions of `map`, `stride` bytes apart; `map` itself when that is the same.
  static std::shared_ptr<const Typemap> repeat(const std::shared_ptr<const Typemap>& map, std::size_t count,
                                               MPI_Aint stride);

  void pup(pup::Puper& p) { p | loops_ | size_ | low_ | high_ | is_structure_; }

 private:
  friend class TypemapBuilder;
  std::vector<Loop> loops_;
  std::size_t size_ = 0;
  MPI_Aint low_ = 0;
  MPI_Aint high_ = 0;
  bool is_structure_ = false;
};

// Concatenates maps. Adjacent blocks are merged, and equal blocks at equal distances become a loop.
class TypemapBuilder {
 public:
  TypemapBuilder() : map_(std::make_shared<Typemap>()) {}
  void add_block(MPI_Aint offset, std::size_t bytes);
  void add(const std::shared_ptr<const Typemap>& map, MPI_Aint offset, std::size_t count = 1, MPI_Aint stride = 0);
  std::shared_ptr<const Typemap> build();

 private:
  void append(Loop loop);
  bool merge(Loop& last, const Loop& loop) const;
  void widen(const Loop& loop);

  std::shared_ptr<Typemap> map_;
};

}  // namespace datatype
}  // namespace weft::mpi_shim
