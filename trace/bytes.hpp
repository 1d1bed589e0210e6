// Numbers of the file format (LEB128): seven bits in each byte, the lowest first. Signed numbers have their sign in the
// lowest bit (zigzag).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace weft::trace {

inline constexpr std::size_t kLongestNumber = 10;  // bytes

// Writes the number to `out`, which has room for kLongestNumber; returns the end of what it wrote.
inline char* put(char* out, std::uint64_t value) {
  while (value >= 0x80) {
    *out++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *out++ = static_cast<char>(value);
  return out;
}
inline void put(std::string& out, std::uint64_t value) {
  char bytes[kLongestNumber];
  out.append(bytes, put(bytes, value));
}

inline std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
inline std::int64_t unzigzag(std::uint64_t bits) {
  return static_cast<std::int64_t>(bits >> 1) ^ -static_cast<std::int64_t>(bits & 1);
}

inline constexpr char kMagic[8] = {'W', 'E', 'F', 'T', 'R', 'A', 'C', 'E'};
inline constexpr char kNameRecord = 0;  // in place of an EventKind: defines the worker's next name

}  // namespace weft::trace
