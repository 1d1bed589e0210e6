// One page with the figures of Keller Tesser 2016: heat maps of cores and iterations, real above simulated; average
// load against time; makespan against period and virtualization ratio. All of it stands in the page itself.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weft::sim {

// A run, real or simulated, as result_json() writes it.
struct ReportedRun {
  std::string label;  // of its column: real and simulated runs with one label belong together
  bool real = false;
  double makespan = 0.0;
  std::string strategy;
  std::uint64_t period = 0;  // of balancing, in calls of MPI_Migrate; 0: another rule
  std::size_t ranks = 0;
  std::size_t steps = 0;
  std::uint64_t moves = 0;
  std::vector<std::vector<double>> iterations;  // by iteration and worker: seconds
  std::vector<double> ends;                     // by iteration: when it ended, in the ranks' mean
  std::vector<double> busy;                     // by worker: seconds
  [[nodiscard]] double ratio() const { return static_cast<double>(ranks) / static_cast<double>(busy.size()); }
};

// Throws std::runtime_error, in one line, where the file does not hold such a result.
ReportedRun read_run(const std::string& file);

std::string html_report(std::span<const ReportedRun> runs);

}  // namespace weft::sim
