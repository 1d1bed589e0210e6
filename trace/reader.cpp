#include "trace/reader.hpp"

#include <algorithm>
#include <cstring>
#include <istream>
#include <iterator>
#include <span>
#include <string_view>
#include <unordered_map>

#include "trace/bytes.hpp"

namespace weft::trace {
namespace {

constexpr std::uint32_t kMostWorkers = 1U << 20;

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
struct Stream {
  std::uint64_t time = 0;
  std::vector<std::uint32_t> names;  // from the worker's numbers to the trace's
};

class Reading {
 public:
  Reading(const Header& header) : streams_(header.workers + 1) {
    trace_.header = header;
    trace_.workers.resize(header.workers);
  }

  void piece(std::uint32_t worker, Cursor cursor) {
    std::vector<Event>& events = worker < trace_.workers.size() ? trace_.workers[worker] : trace_.job;
    while (!cursor.at_end()) {
      const std::uint8_t kind = cursor.byte();
      if (kind == kNameRecord) {
        streams_[worker].names.push_back(intern(cursor.take(cursor.number())));
      } else if (kind > static_cast<std::uint8_t>(Kind::span)) {
        throw cursor.damaged();
      } else {
        events.push_back(event(streams_[worker], Kind{kind}, cursor));
      }
    }
  }
  Trace result() { return std::move(trace_); }

 private:
  std::uint32_t intern(std::string_view text) {
    const auto [place, is_new] = names_.try_emplace(std::string(text), static_cast<std::uint32_t>(names_.size()));
    if (is_new) {
      trace_.names.emplace_back(text);
    }
    return place->second;
  }

  static std::uint32_t name(const Stream& stream, Cursor& cursor) {
    const std::uint64_t number = cursor.number();
    if (number >= stream.names.size()) {
      throw cursor.damaged();
    }
    return stream.names[number];
  }

  static Event event(Stream& stream, Kind kind, Cursor& cursor) {
    Event event;
    event.kind = kind;
    event.time = stream.time += cursor.number();
    if (has_rank(kind)) {
      event.rank = RankId{cursor.small_number()};
    }
    if (kind == Kind::call_begin || kind == Kind::park || !has_rank(kind)) {
      event.name = name(stream, cursor);
    }
    if (kind == Kind::sent || kind == Kind::received || kind == Kind::move) {
      event.peer = cursor.small_number();
    }
    if (kind == Kind::sent || kind == Kind::received) {
      event.tag = static_cast<std::int32_t>(unzigzag(cursor.number()));
    }
    if (kind == Kind::run || kind == Kind::sent || kind == Kind::received || !has_rank(kind)) {
      event.value = unzigzag(cursor.number());
    }
    return event;
  }

  Trace trace_;
  std::vector<Stream> streams_;
  std::unordered_map<std::string, std::uint32_t> names_;
};

Header read_header(Cursor& cursor) {
  if (cursor.take(sizeof kMagic) != std::string_view(kMagic, sizeof kMagic)) {
    throw Error("this is not a trace: it does not begin with WEFTRACE");
  }
  const std::uint64_t version = cursor.number();
  if (version != kVersion) {
    throw Error("the trace has version " + std::to_string(version) + "; this program reads version " +
                std::to_string(kVersion));
  }
  Header header;
  header.workers = cursor.small_number();
  header.ticks_per_second = cursor.number();
  if (header.ticks_per_second == 0 || header.workers > kMostWorkers) {
    throw cursor.damaged();
  }
  return header;
}

}  // namespace

Trace read(std::istream& in) {
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  Cursor cursor(bytes);
  const Header header = read_header(cursor);
  Reading reading(header);
  for (std::uint64_t worker = cursor.number(); worker != 0; worker = cursor.number()) {
    if (worker > header.workers + 1) {
      throw cursor.damaged();
    }
    const std::uint64_t length = cursor.number();
    const std::size_t begin = cursor.position();
    reading.piece(static_cast<std::uint32_t>(worker - 1), Cursor(cursor.take(length), begin));
  }
  if (!cursor.at_end()) {
    throw cursor.damaged();
  }
  return reading.result();
}

}  // namespace weft::trace
