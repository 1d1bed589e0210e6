// Splits an instance of a whole job into its processes and hosts, and moves ranks between them. For callers that have
// the whole job in one place: the strategy's solve(), the simulator, tests and benchmarks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lb/hierarchy.hpp"

namespace weft::lb {

class JobTree {
 public:
  explicit JobTree(const Instance& instance);

  static constexpr std::size_t kClusters = kMostClusters;

  [[nodiscard]] std::size_t process_count() const { return processes_.size(); }
  [[nodiscard]] bool has_parents() const { return processes_.size() > 1; }
  [[nodiscard]] const ProcessLoad& process(std::size_t i) const { return processes_[i].load; }
  // By process and cluster: the destination process. decide() does the steps of all hosts and of the job.
  using Targets = std::vector<std::vector<std::uint32_t>>;
  [[nodiscard]] Targets decide(const Strategy& outer, std::span<const Summary> summaries) const;
  // A process's own steps: it sends its departing ranks; after all have sent, it receives those of others; then it
  // balances its ranks and writes their workers into the job's plan.
  void send(std::size_t process, const Targets& targets, const Summary& summary);
  void receive(std::size_t process);
  void balance_process(std::size_t process, const Strategy& inner, Plan& plan) const;
  // All of the above except balance_process(), for all processes.
  void exchange(const Strategy& outer);

 private:
  struct Process {
    ProcessLoad load;                    // its ranks' numbers: their indices in the job's instance
    std::vector<std::uint32_t> workers;  // by local worker: index in the job's instance
    std::uint32_t host = 0;              // index in hosts_
    std::vector<Migrant> arrivals;
  };
  void add_edges();

  const Instance& instance_;
  std::vector<Process> processes_;
  std::vector<std::vector<std::uint32_t>> hosts_;  // processes of each
};

}  // namespace weft::lb
