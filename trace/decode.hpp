// Events out of bytes, as Buffer made them.
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

// Takes the file apart from the front; `origin` is where it began, for messages.
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

// What is known of one worker's events so far.
// What decoding the events of one worker goes on from.
struct DecoderState {
  std::uint64_t time = 0;
  std::vector<std::uint32_t> names;  // from the worker's numbers to those of the trace
};

// The stream's next event, with the number that `names` has for its name; false at the end. Throws Error.
bool decode(Cursor& cursor, DecoderState& stream, Names& names, Event& event);

}  // namespace weft::trace
