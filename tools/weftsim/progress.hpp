// Shows on standard error how far a command has come, and how long it will still take.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace weft::tools::weftsim {

// On a terminal it updates one line; elsewhere it prints a line for each tenth of the work. Used by one thread at a
// time.
class Progress {
 public:
  // `what` is counted, such as "replays". A quiet object prints nothing.
  Progress(std::string_view what, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` of `all` are done; `now` names the next one.
  void show(std::size_t done, std::size_t all, std::string_view now = "");
  // Ends the line, so that other output can follow.
  void end();

 private:
  const std::string what_;
  const bool quiet_;
  const bool terminal_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::size_t tenths_ = 0;  // that have been shown
  bool open_ = false;       // the terminal's line is not ended yet
};

}  // namespace weft::tools::weftsim
