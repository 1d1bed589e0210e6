// Values packed for other ranks, as bytes.
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace ondes3d {

// Bytes on their way from rank to rank.
class PackedBytes {
 public:
  PackedBytes() = default;
  explicit PackedBytes(std::vector<char> bytes) : bytes_(std::move(bytes)) {}

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

}  // namespace ondes3d
