// The ranks' standard streams: what they write comes out in whole lines, what is typed goes to rank 0.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/output/rank_files.hpp"
#include "runtime/output/sink.hpp"

namespace weft::runtime {
inline namespace output {

class Output {
 public:
  // `tag`: every line begins with "[rank] ". `sink`: where a rank's 1 and 2 go.
  Output(std::uint32_t ranks, bool tag, SinkConfig sink = {});
  ~Output();  // as finish()
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // The rank's bytes for `fd` 1 or 2. Complete lines ('\n' or '\r' ends one) are written at once, the rest is kept
  // until its line ends. Any thread. Returns `size`, or -1 with errno if writing fails. No bytes: what the sink has
  // gathered of all ranks goes out.
  ssize_t write(std::uint32_t rank, int fd, const void* bytes, std::size_t size);
  // Standard input for rank 0, end of file for all others. Writes rank 0's unfinished lines first: they may be a
  // question.
  ssize_t read(std::uint32_t rank, void* bytes, std::size_t size);
  // Whether there is the job's standard input in this process. Set before any rank runs.
  bool has_input() const { return has_input_; }
  void set_has_input(bool has_input) { has_input_ = has_input; }

  // What ranks write goes to these files, too, without tags; with `only`, nowhere else. Set before any rank runs.
  void copy_to(RankFiles files, bool only);

  // Writes a rank's unfinished lines (tagged ones get an end); call it when the rank ends.
  void flush(std::uint32_t rank);
  // The same for all ranks; call it when the job dies. Leaves what another thread holds, or what nobody reads, for
  // longer than a moment, so that a signal handler may call it.
  void flush_all();
  // The same however long it takes; call it when the job has ended.
  void finish();

 private:
  struct Stream {
    std::string pending;        // the beginning of a line
    bool line_started = false;  // its first part is written already
  };
  struct Stripe {
    std::mutex mutex;
  };

  using Time = Sink::Time;
  static constexpr Time kForever = Sink::kForever;

  // The stream's pending bytes, then `text`; leaves nothing pending, unless others write until `end` (-1 and EAGAIN).
  ssize_t write_to_sink(std::uint32_t rank, Stream& stream, int fd, std::string_view text, Time end);
  ssize_t write_lines(std::uint32_t rank, Stream& stream, int fd, std::string_view text, Time end);
  void flush_all_until(Time end);
  void flush_locked(std::uint32_t rank, Time end);
  Stream& stream(std::uint32_t rank, int fd) { return streams_[2 * std::size_t{rank} + (fd == 2 ? 1 : 0)]; }
  std::mutex& lock_of(std::uint32_t rank) { return stripes_[rank % kStripes].mutex; }
  std::string tagged(std::uint32_t rank, Stream& stream, std::string_view text) const;

  static constexpr std::size_t kStripes = 64;

  const bool tag_;
  const bool interactive_;  // rank 0's standard output is a terminal
  bool has_input_ = true;
  std::optional<RankFiles> files_;
  bool files_only_ = false;
  std::vector<Stream> streams_;  // [2 * rank + (fd - 1)], guarded by the rank's stripe
  std::unique_ptr<Stripe[]> stripes_;
  Sink sink_;
};

}  // namespace output
}  // namespace weft::runtime
