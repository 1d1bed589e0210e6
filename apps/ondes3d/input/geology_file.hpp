// A geology that rank 0 reads whole and gives away in parts.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "physics/geology.hpp"

namespace ondes3d {

// Bytes on their way from rank to rank.
class Parcel {
 public:
  Parcel() = default;
  explicit Parcel(std::vector<char> bytes) : bytes_(std::move(bytes)) {}

  template <typename Value>
  void put(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    append(&value, sizeof(Value));
  }
  template <typename Value>
  void put_list(const std::vector<Value>& list) {
    static_assert(std::is_trivially_copyable_v<Value>);
    put(list.size());
    append(list.data(), list.size() * sizeof(Value));
  }
  // In the order in which they were put.
  template <typename Value>
  [[nodiscard]] Value take() {
    Value value;
    std::memcpy(&value, bytes_.data() + next_, sizeof(Value));
    next_ += sizeof(Value);
    return value;
  }
  template <typename Value>
  [[nodiscard]] std::vector<Value> take_list() {
    std::vector<Value> list(take<std::size_t>());
    if (!list.empty()) {
      std::memcpy(list.data(), bytes_.data() + next_, list.size() * sizeof(Value));
    }
    next_ += list.size() * sizeof(Value);
    return list;
  }
  [[nodiscard]] const std::vector<char>& bytes() const { return bytes_; }

 private:
  void append(const void* from, std::size_t size) {
    if (size > 0) {
      bytes_.resize(bytes_.size() + size);
      std::memcpy(bytes_.data() + bytes_.size() - size, from, size);
    }
  }
  std::vector<char> bytes_;
  std::size_t next_ = 0;
};

// Opens every parcel of a geology.
enum class GeologyKind : int { kVoxels, kTomography };

class SharedGeology : public Geology {
 public:
  // What a rank with these cells needs of it.
  [[nodiscard]] virtual Parcel part(const Box& own) const = 0;
  // "4 media in 500 x 350 x 130 voxels"
  [[nodiscard]] virtual std::string describe() const = 0;
};

// The inverse of part().
[[nodiscard]] std::shared_ptr<const SharedGeology> unpack_geology(const Grid& grid, Parcel parcel);

// The node of the physical domain next to this one: absorbing layers hold the rock of their inner edge.
[[nodiscard]] inline Index3 inside_domain(const Grid& grid, const Index3& node) {
  return {std::clamp(node[0], grid.cpml, grid.cells[0] - 1 - grid.cpml),
          std::clamp(node[1], grid.cpml, grid.cells[1] - 1 - grid.cpml),
          std::clamp(node[2], grid.cpml, grid.cells[2] - 1)};
}

}  // namespace ondes3d
