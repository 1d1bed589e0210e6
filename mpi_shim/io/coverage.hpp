// A bit map of the bytes of a file window that have been written.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace weft::mpi_shim::io {

class Coverage {
 public:
  explicit Coverage(std::size_t bytes) : bytes_(bytes), words_(bytes / 64 + 1) {}

  void add(std::size_t begin, std::size_t length) {
    const std::size_t last = begin + length - 1;
    const std::uint64_t head = ~std::uint64_t{0} << begin % 64;
    const std::uint64_t tail = ~std::uint64_t{0} >> (63 - last % 64);
    if (begin / 64 == last / 64) {
      words_[begin / 64] |= head & tail;
      return;
    }
    words_[begin / 64] |= head;
    for (std::size_t word = begin / 64 + 1; word < last / 64; ++word) {
      words_[word] = ~std::uint64_t{0};
    }
    words_[last / 64] |= tail;
  }

  // Calls visit(begin, length) for the runs of written bytes, and clears the map.
  template <typename Visit>
  void take_runs(Visit&& visit) {
    for (std::size_t at = next(0, true); at < bytes_;) {
      const std::size_t end = next(at, false);
      visit(at, end - at);
      at = next(end, true);
    }
    words_.assign(words_.size(), 0);
  }

 private:
  // The first byte from `at` on that is written (or not, without `covered`); bytes_ if there is none.
  std::size_t next(std::size_t at, bool covered) const {
    const std::uint64_t flip = covered ? 0 : ~std::uint64_t{0};
    std::size_t word = at / 64;
    std::uint64_t bits = (words_[word] ^ flip) & (~std::uint64_t{0} << at % 64);
    while (bits == 0 && ++word < words_.size()) {
      bits = words_[word] ^ flip;
    }
    const std::size_t found = bits == 0 ? bytes_ : word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    return found < bytes_ ? found : bytes_;
  }

  std::size_t bytes_;
  std::vector<std::uint64_t> words_;
};

}  // namespace weft::mpi_shim::io
