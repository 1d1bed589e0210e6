#include "trace/writer.hpp"

#include <algorithm>
#include <ostream>

#include "base/check.hpp"
#include "trace/bytes.hpp"

namespace weft::trace {

void Buffer::reserve(std::size_t bytes) {
  if (bytes_.size() < bytes) {
    bytes_.resize(bytes);  // writes zeros
  }
}

std::uint32_t Buffer::name(std::string_view text) {
  const auto [place, is_new] = names_.try_emplace(std::string(text), static_cast<std::uint32_t>(names_.size()));
  if (is_new) {
    char* end = room(1 + kLongestNumber + text.size());
    *end++ = kNameRecord;
    end = put(end, text.size());
    end_at(std::ranges::copy(text, end).out);
  }
  return place->second;
}

// Keeps the number of bytes: an encoded number may have more bytes than it needs.
void Buffer::replace_last_value(std::size_t end, std::int64_t value, std::int64_t smaller) {
  std::string old;
  put(old, zigzag(value));
  std::uint64_t left = zigzag(smaller);
  for (std::size_t i = end - old.size(); i < end; ++i, left >>= 7) {
    bytes_[i] = static_cast<char>((left & 0x7f) | (i + 1 < end ? 0x80 : 0));
  }
}

Writer::Writer(std::ostream& out, const Header& header) : out_(out), workers_(header.workers) {
  base::check(header.ticks_per_second > 0, "a trace's clock has ticks");
  std::string bytes(kMagic, sizeof kMagic);
  put(bytes, kVersion);
  put(bytes, header.workers);
  put(bytes, header.ticks_per_second);
  out_ << bytes;
}

void Writer::append(std::uint32_t worker, Buffer& buffer) {
  base::check(worker < workers_, "a trace knows its workers");
  append_piece(worker, buffer);
}

void Writer::append_piece(std::uint32_t number, Buffer& buffer) {
  const std::string_view contents = buffer.contents();
  if (contents.empty()) {
    return;
  }
  std::string head;
  put(head, std::uint64_t{number} + 1);
  put(head, contents.size());
  out_ << head << contents;
  buffer.clear();
}

void Writer::finish() {
  out_ << '\0';
  if (!out_.flush()) {
    throw Error("the trace could not be written");
  }
}

}  // namespace weft::trace
