// An HTML page with the figures of Keller Tesser 2016: heat maps of cores and iterations, real above simulated; average
// load against time; makespan against period and virtualization ratio. The page needs no other files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weft::sim {

// A run, real or simulated, read from what result_json() wrote.
struct ReportedRun {
  std::string label;  // of its column; a real and a simulated run with the same label belong together
  bool real = false;
  double makespan = 0.0;
  std::string strategy;
  std::uint64_t period = 0;  // of balancing, in calls of MPI_Migrate; 0: not a periodic rule
  std::size_t ranks = 0;
  std::size_t steps = 0;
  std::uint64_t moves = 0;
  std::vector<std::vector<double>> iterations;  // by iteration and worker: seconds
  std::vector<double> ends;                     // by iteration: when it ended, mean of the ranks
  std::vector<double> busy;                     // by worker: seconds
  [[nodiscard]] double ratio() const { return static_cast<double>(ranks) / static_cast<double>(busy.size()); }
};

// Throws std::runtime_error, one line, if the file does not hold such a result.
ReportedRun read_run(const std::string& file);

std::string html_report(std::span<const ReportedRun> runs);

}  // namespace weft::sim
