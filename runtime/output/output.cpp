#include "runtime/output/output.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

namespace weft::runtime {
inline namespace output {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;  // longer ones may be torn
constexpr auto kFlushTimeout = std::chrono::milliseconds(2000);

// The number of bytes up to and including the last end of line; 0 if there is none.
std::size_t complete_part(std::string_view text) {
  const auto last = text.find_last_of("\n\r");
  return last == std::string_view::npos ? 0 : last + 1;
}

}  // namespace

Output::Output(std::uint32_t ranks, bool tag, OutputWriterConfig writer)
    : tag_(tag),
      interactive_(!tag && ::isatty(writer.fds[0]) == 1),
      streams_(2 * std::size_t{ranks}),
      stripes_(std::make_unique<Stripe[]>(kStripes)),
      writer_(writer) {}

Output::~Output() { finish(); }

ssize_t Output::write(std::uint32_t rank, int fd, const void* bytes, std::size_t size) {
  const std::string_view text(static_cast<const char*>(bytes), size);
  const std::lock_guard lock(lock_of(rank));
  if (size == 0) {
    return writer_.flush(kForever);
  }
  auto& target = stream(rank, fd);
  auto complete = complete_part(text);
  if (interactive_ && rank == 0) {
    complete = size;
  }
  if (complete > 0 && write_lines(rank, target, fd, {text.substr(0, complete)}, kForever) < 0) {
    return -1;
  }
  target.pending += text.substr(complete);
  if (target.pending.size() > kLongestLine) {
    write_lines(rank, target, fd, {}, kForever);
  }
  return static_cast<ssize_t>(size);
}

void Output::copy_to(RankFiles files, bool only) {
  files_.emplace(std::move(files));
  files_only_ = only;
}

ssize_t Output::write_text(std::uint32_t rank, Stream& stream, int fd, std::string_view text, Time end) {
  if (files_only_) {
    return 0;
  }
  return tag_ ? writer_.write(fd, tagged(rank, stream, stream.pending + std::string(text)), {}, end)
              : writer_.write(fd, stream.pending, text, end);
}

ssize_t Output::write_lines(std::uint32_t rank, Stream& stream, int fd, Part part, Time end) {
  const bool line_started = stream.line_started;
  ssize_t result = write_text(rank, stream, fd, tag_ && part.is_unfinished ? "\n" : part.text, end);
  if (result < 0 && errno == EAGAIN) {
    stream.line_started = line_started;
    return result;
  }
  if (files_ && files_->append(rank, fd, stream.pending, part.text) != 0) {
    result = -1;
  }
  stream.pending.clear();
  return result;
}

std::string Output::tagged(std::uint32_t rank, Stream& stream, std::string_view text) const {
  const auto tag = "[" + std::to_string(rank) + "] ";
  std::string result;
  for (const char letter : text) {
    if (!stream.line_started) {
      result += tag;
    }
    result += letter;
    stream.line_started = letter != '\n' && letter != '\r';
  }
  return result;
}

ssize_t Output::read(std::uint32_t rank, void* bytes, std::size_t size) {
  if (rank != 0) {
    return 0;
  }
  flush(rank);
  writer_.flush(kForever);
  return ::read(0, bytes, size);
}

void Output::flush(std::uint32_t rank) {
  const std::lock_guard lock(lock_of(rank));
  flush_locked(rank, kForever);
}

void Output::flush_all() { flush_all_until(std::chrono::steady_clock::now() + kFlushTimeout); }

void Output::finish() { flush_all_until(kForever); }

void Output::flush_all_until(Time end) {
  for (std::uint32_t stripe = 0; stripe < kStripes; ++stripe) {
    const auto lock = lock_until(end, lock_of(stripe));
    for (std::uint32_t rank = stripe; lock && 2 * std::size_t{rank} < streams_.size(); rank += kStripes) {
      flush_locked(rank, end);
    }
  }
  writer_.flush(end);
}

void Output::flush_locked(std::uint32_t rank, Time end) {
  for (const int fd : {1, 2}) {
    if (!stream(rank, fd).pending.empty()) {
      write_lines(rank, stream(rank, fd), fd, {.is_unfinished = true}, end);
    }
  }
}

}  // namespace output
}  // namespace weft::runtime
