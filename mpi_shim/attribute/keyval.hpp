// Key values: the numbers that identify attributes, with their callbacks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi_shim/attribute/attributes.hpp"
#include "mpi_shim/state/rank_part.hpp"

namespace weft::mpi_shim {
inline namespace attribute {

struct Keyval {
  enum class Object : std::uint8_t { comm, datatype, window };
  Object object = Object::comm;
  bool freed = false;        // by MPI_*_free_keyval; only attributes still use it
  void (*copy)() = nullptr;  // the ABI's sentinels: 0 copies nothing, 1 copies the value
  void (*remove)() = nullptr;
  void* extra_state = nullptr;
  std::uint32_t uses = 1;  // reference count: 1 until MPI_*_free_keyval, and 1 for each attribute set under it

  void pup(pup::Puper& p) {
    p | object | freed | uses;
    pup::same_address(p, copy);
    pup::same_address(p, remove);
    pup::same_address(p, extra_state);
  }
};

// The key values of one rank, numbered from kFirst on. A number is reused only when no attribute is set under it.
struct Keyvals final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::keyvals;
  static constexpr int kFirst = 1 << 16;
  std::vector<std::unique_ptr<Keyval>> entries;

  Keyval* find(int number) const;
  int add(std::unique_ptr<Keyval> keyval);
  void release(int number);  // drops one reference
  void pup(pup::Puper& p, RankState& /*me*/) override { p | entries; }
};

}  // namespace attribute
}  // namespace weft::mpi_shim
