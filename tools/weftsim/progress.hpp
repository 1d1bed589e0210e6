// How far a command has come, and how long it still takes, on standard error.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace weft::tools::weftsim {

// A terminal shows one line that changes; elsewhere there is a line for each tenth of the work. One thread at a time.
class Progress {
 public:
  // "replays" of a sweep, say. A quiet one says nothing.
  Progress(std::string_view what, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // So many of `all` are done; `now` says what comes.
  void show(std::size_t done, std::size_t all, std::string_view now = "");
  // Other output follows.
  void end();

 private:
  const std::string what_;
  const bool quiet_;
  const bool terminal_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::size_t tenths_ = 0;  // that have been said
  bool open_ = false;       // the terminal's line has no end yet
};

}  // namespace weft::tools::weftsim
