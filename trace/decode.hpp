// Decodes events from bytes that Buffer encoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/bytes.hpp"
#include "trace/event.hpp"
#include "trace/names.hpp"

namespace weft::trace {

// Reads bytes from front to back; `origin`: their position in the file, for error messages.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes, std::size_t origin = 0) : bytes_(bytes), origin_(origin) {}

  bool at_end() const { return at_ == bytes_.size(); }
  std::size_t position() const { return origin_ + at_; }

  std::string_view take(std::uint64_t n) {
    if (n > bytes_.size() - at_) {
      throw Error("the trace ends at byte " + std::to_string(origin_ + bytes_.size()) + ", in the middle of a record");
    }
    const std::string_view result = bytes_.substr(at_, n);
    at_ += n;
    return result;
  }
  std::uint8_t byte() { return static_cast<std::uint8_t>(take(1)[0]); }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t part = byte();
      value |= std::uint64_t{part & 0x7fU} << shift;
      if (part < 0x80) {
        return value;
      }
    }
    throw damaged();
  }
  std::uint32_t small_number() {
    const std::uint64_t value = number();
    if (value > UINT32_MAX) {
      throw damaged();
    }
    return static_cast<std::uint32_t>(value);
  }
  Error damaged() const { return Error("the trace is damaged near byte " + std::to_string(position())); }

 private:
  std::string_view bytes_;
  std::size_t origin_;
  std::size_t at_ = 0;
};

// State between decoded events of one worker.
struct DecoderState {
  std::uint64_t time = 0;
  std::vector<std::uint32_t> names;  // the trace's numbers of names, by the worker's numbers
};

// Decodes the next event; its name gets the number that `names` has for it. Returns false at the end. Throws Error.
bool decode(Cursor& cursor, DecoderState& stream, Names& names, Event& event);

}  // namespace weft::trace
