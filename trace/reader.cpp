#include "trace/reader.hpp"

#include <istream>
#include <iterator>

#include "trace/decode.hpp"

namespace weft::trace {
namespace {

constexpr std::uint32_t kMostWorkers = 1U << 20;

class TraceAssembler {
 public:
  TraceAssembler(const Header& header) : streams_(header.workers + 1) {
    trace_.header = header;
    trace_.workers.resize(header.workers);
  }

  void piece(std::uint32_t worker, Cursor cursor) {
    std::vector<Event>& events = worker < trace_.workers.size() ? trace_.workers[worker] : trace_.job;
    Event event;
    while (decode(cursor, streams_[worker], names_, event)) {
      events.push_back(event);
    }
  }
  Trace result() {
    trace_.names = names_.texts();
    return std::move(trace_);
  }

 private:
  Trace trace_;
  std::vector<DecoderState> streams_;
  Names names_;
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
  TraceAssembler assembler(header);
  for (std::uint64_t worker = cursor.number(); worker != 0; worker = cursor.number()) {
    if (worker > header.workers + 1) {
      throw cursor.damaged();
    }
    const std::uint64_t length = cursor.number();
    const std::size_t begin = cursor.position();
    assembler.piece(static_cast<std::uint32_t>(worker - 1), Cursor(cursor.take(length), begin));
  }
  if (!cursor.at_end()) {
    throw cursor.damaged();
  }
  return assembler.result();
}

}  // namespace weft::trace
