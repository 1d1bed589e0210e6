// What one worker writes down for the job's timeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "base/ids.hpp"
#include "trace/writer.hpp"

namespace weft::runtime {

// Owned by its worker, whose thread calls it; after that thread's end the timeline's. Once it is full it keeps what it
// has and takes nothing more.
class Recorder {
 public:
  explicit Recorder(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // The rank ran from `start` until now. Ticks.
  void ran(RankId rank, std::uint64_t start, std::uint64_t now);
  // The rank enters this call, whose name lasts as long as the job; and leaves the one that it entered last.
  void enters(RankId rank, const char* call);
  void leaves(RankId rank);
  // The rank goes to this worker, counted through the whole job.
  void moves(RankId rank, std::uint32_t worker);
  // Events of the job: `what` took the ticks from `begin` to `now`; a counter has this value now.
  void took(std::string_view what, std::uint64_t begin, std::uint64_t now);
  void counts(std::string_view counter, std::int64_t value);

  bool full() const { return full_; }
  trace::Buffer& buffer() { return buffer_; }

 private:
  void add(trace::Event event);

  const std::size_t most_bytes_;
  bool full_ = false;
  std::uint64_t last_time_ = 0;
  trace::Buffer buffer_;
  std::unordered_map<const char*, std::uint32_t> names_;
};

}  // namespace weft::runtime
