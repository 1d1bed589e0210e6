// The fuzzers' settings from the environment: WEFT_FUZZ_SEED is the first seed, WEFT_FUZZ_COUNT the number of cases per
// setting, WEFT_FUZZ_SHOW prints each case before it runs.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

namespace weft::mpi_shim {

using Random = std::mt19937;

struct FuzzSettings {
  std::uint32_t seed;
  std::uint32_t count;
  bool show;
};

inline FuzzSettings fuzz_settings(std::uint32_t usual_count) {
  const auto number = [](const char* name, std::uint32_t otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : static_cast<std::uint32_t>(std::stoul(text));
  };
  const bool show = std::getenv("WEFT_FUZZ_SHOW") != nullptr;
  return {number("WEFT_FUZZ_SEED", 1), number("WEFT_FUZZ_COUNT", usual_count), show};
}

// 0 … limit - 1
inline int below(Random& random, int limit) { return static_cast<int>(random() % static_cast<std::uint32_t>(limit)); }

inline bool one_in(Random& random, int chances) { return below(random, chances) == 0; }

}  // namespace weft::mpi_shim
