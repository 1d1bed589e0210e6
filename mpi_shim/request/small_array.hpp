// An array whose length is known when it is made; short ones lie on the stack.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace weft::mpi_shim {
inline namespace request {

template <typename T, std::size_t kShort = 32>
class SmallArray {
 public:
  explicit SmallArray(std::size_t size) : size_(size) {
    if (size > kShort) {
      long_ = std::make_unique<T[]>(size);
    }
  }
  T* data() { return long_ ? long_.get() : short_.data(); }
  std::size_t size() const { return size_; }
  void shrink(std::size_t size) { size_ = size; }
  T& operator[](std::size_t i) { return data()[i]; }
  std::span<T> span() { return {data(), size_}; }

 private:
  std::size_t size_;
  std::array<T, kShort> short_;
  std::unique_ptr<T[]> long_;
};

}  // namespace request
}  // namespace weft::mpi_shim
