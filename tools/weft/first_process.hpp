// Process 0 of a job, which decides for it: on this host, or on another one, where it is asked through a relay.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "inspect/job_folders.hpp"
#include "inspect/messages.hpp"
#include "tools/weft/relay.hpp"

namespace weft::tools::weft_tool {

class FirstProcess {
 public:
  // Throws std::runtime_error, one line: no process of such a job is on this host, or there is no such name.
  explicit FirstProcess(const std::string& job);

  const std::string& job() const { return job_; }
  // Nothing where it does not answer, which is so while the job changes its processes. It may live on another host
  // afterwards.
  std::optional<inspect::ResizeState> ask(const inspect::Question& question);

 private:
  std::optional<inspect::ResizeState> ask_on(const std::string& host, const inspect::Question& question);

  bool find_hosts(const inspect::FoundJob& here);

  std::string job_;
  std::string agent_;               // empty: all processes are on this host
  std::vector<std::string> hosts_;  // of each process, as far as this host has known last
  std::unique_ptr<Relay> relay_;    // to the host that was asked last
  std::chrono::steady_clock::time_point heard_ = std::chrono::steady_clock::now();  // it has answered, the last time
};

}  // namespace weft::tools::weft_tool
