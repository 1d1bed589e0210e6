#include "trace/writer.hpp"

#include <ostream>

#include "base/check.hpp"
#include "trace/bytes.hpp"

namespace weft::trace {

std::uint32_t Buffer::name(std::string_view text) {
  const auto [place, is_new] = names_.try_emplace(std::string(text), static_cast<std::uint32_t>(names_.size()));
  if (is_new) {
    bytes_.push_back(kNameRecord);
    put(bytes_, text.size());
    bytes_.append(text);
  }
  return place->second;
}

void Buffer::add(const Event& event) {
  base::check(event.time >= last_time_, "a worker's events come in the order of their times");
  bytes_.push_back(static_cast<char>(event.kind));
  put(bytes_, event.time - last_time_);
  last_time_ = event.time;
  const Fields fields = fields_of(event.kind);
  if (fields.rank) {
    put(bytes_, number(event.rank));
  }
  if (fields.name) {
    put(bytes_, event.name);
  }
  if (fields.peer) {
    put(bytes_, event.peer);
  }
  if (fields.tag) {
    put(bytes_, zigzag(event.tag));
  }
  if (fields.comm) {
    put(bytes_, event.comm);
  }
  if (fields.request) {
    put(bytes_, event.request);
  }
  if (fields.value) {
    put(bytes_, zigzag(event.value));
  }
  if (fields.more) {
    put(bytes_, zigzag(event.more));
  }
}

// A number may have more bytes than it needs.
void Buffer::lessen(std::size_t end, std::int64_t value, std::int64_t smaller) {
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
  if (buffer.bytes_.empty()) {
    return;
  }
  std::string head;
  put(head, std::uint64_t{number} + 1);
  put(head, buffer.bytes_.size());
  out_ << head << buffer.bytes_;
  buffer.bytes_.clear();
}

void Writer::finish() {
  out_ << '\0';
  if (!out_.flush()) {
    throw Error("the trace could not be written");
  }
}

}  // namespace weft::trace
