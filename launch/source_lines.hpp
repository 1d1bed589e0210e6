// Source lines of code, which the tool addr2line reads out of a file's debug information.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::launch {

// Where an instruction stands in its file, and the source line that it comes from.
struct CodePlace {
  const char* file = nullptr;    // null: nothing is asked
  std::uint64_t address = 0;     // counted from the file's own zero
  std::array<char, 256> line{};  // "/home/me/solver.c:12"; empty if unknown
};

inline constexpr std::size_t kMostCodePlaces = 64;

// Looks for addr2line in PATH. Before the first rank starts; without it no line is ever found.
void find_line_reader();

// Fills in the lines of at most kMostCodePlaces places, as far as that takes no longer than a few seconds. Allocates
// nothing; fit for signal handlers.
void read_source_lines(std::span<CodePlace> places) noexcept;

// The place of a code address of a rank in the file that it was loaded from; without a file elsewhere. Fit for signal
// handlers. The file's name lives as long as the program.
CodePlace code_place(std::uintptr_t address) noexcept;

}  // namespace weft::launch
