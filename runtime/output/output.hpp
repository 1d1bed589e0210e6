// The ranks' standard streams. Output is written in whole lines; input goes to rank 0.
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

#include "runtime/output/output_writer.hpp"
#include "runtime/output/rank_files.hpp"

namespace weft::runtime {
inline namespace output {

class Output {
 public:
  // `tag`: every line begins with "[rank] ". `writer`: which descriptors the ranks' descriptors 1 and 2 stand for.
  Output(std::uint32_t ranks, bool tag, OutputWriterConfig writer = {});
  ~Output();  // as finish()
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Writes the rank's bytes for `fd` 1 or 2. Complete lines ('\n' or '\r' ends one) are written at once; the rest is
  // kept until its line ends. Any thread. Returns `size`, or -1 with errno if writing fails. With no bytes: writes what
  // is buffered of all ranks.
  ssize_t write(std::uint32_t rank, int fd, const void* bytes, std::size_t size);
  // Reads standard input for rank 0; end of file for all others. Writes rank 0's unfinished lines first: they may be a
  // prompt.
  ssize_t read(std::uint32_t rank, void* bytes, std::size_t size);
  // Whether this process has the job's standard input. Set before any rank runs.
  bool has_input() const { return has_input_; }
  void set_has_input(bool has_input) { has_input_ = has_input; }

  // What ranks write also goes to these files, without tags; with `only`, nowhere else. Set before any rank runs.
  void copy_to(RankFiles files, bool only);

  // Writes a rank's unfinished lines (tagged ones get an end). Call it when the rank ends.
  void flush(std::uint32_t rank);
  // The same for all ranks; call it when the job dies. Gives up after 2 s on locks that another thread holds, and on
  // output that nobody reads, so that a signal handler may call it.
  void flush_all();
  // The same without a time limit; call it when the job has ended.
  void finish();

 private:
  struct Stream {
    std::string pending;        // the beginning of a line
    bool line_started = false;  // the first part of a line has been written
  };
  // The bytes that follow the pending ones.
  struct Part {
    std::string_view text = {};
    // With no text: a tagged line gets an end, which the rank's files do not get. Otherwise the next rank that writes
    // would continue it.
    bool is_unfinished = false;
  };
  // Guards the streams of every kStripes-th rank.
  struct Stripe {
    std::mutex mutex;
  };

  using Time = OutputWriter::Time;
  static constexpr Time kForever = OutputWriter::kForever;

  // write_text() writes the stream's pending bytes, then `text`, to the process's descriptors. write_lines() also
  // appends them to the rank's files, and then leaves nothing pending. Both fail with -1 and EAGAIN if not all could be
  // written until `end`. The pending bytes stay then, although some of them may have been written.
  ssize_t write_text(std::uint32_t rank, Stream& stream, int fd, std::string_view text, Time end);
  ssize_t write_lines(std::uint32_t rank, Stream& stream, int fd, Part part, Time end);
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
  OutputWriter writer_;
};

}  // namespace output
}  // namespace weft::runtime
