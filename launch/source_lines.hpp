// Source lines of code addresses; the tool addr2line reads them from the debug information of files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::launch {

// An instruction's place in its file, and its source line.
struct CodeLocation {
  const char* file = nullptr;    // null: not in a file of ours, so that no line is looked up
  std::uint64_t address = 0;     // as in the file
  std::array<char, 256> line{};  // "/home/me/solver.c:12"; empty if unknown
};

inline constexpr std::size_t kMostCodeLocations = 64;

// Looks for addr2line in PATH. To be called before the first rank starts; without it no line is ever found.
void find_line_reader();

// Fills in the lines of at most kMostCodeLocations locations, as far as that takes no longer than a few seconds.
// Allocates nothing; async-signal-safe.
void read_source_lines(std::span<CodeLocation> locations) noexcept;

// Finds the file from which a rank's code at this address was loaded; no file for other code. Async-signal-safe. The
// file's name lives as long as the program.
CodeLocation code_location(std::uintptr_t address) noexcept;

}  // namespace weft::launch
