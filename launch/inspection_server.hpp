// Answers `weft ps`, `weft top`, `weft stacks` and `weft resize` for a process of a job.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "launch/launch_config.hpp"
#include "runtime/job/job.hpp"

namespace weft::launch {

class ImageProgram;

// The job's name, which weftrun gives it; else the number of the process that the user has started, or of the first of
// the job's; where a job has several hosts, followed by "@" and the first one's name. All processes call it, and then a
// fence.
class JobName {
 public:
  explicit JobName(const LaunchConfig& config);
  // After the fence.
  std::string text() const;
  const std::string& agent() const { return config_.agent; }
  std::uint32_t seconds_so_far() const { return config_.seconds_so_far; }

 private:
  const LaunchConfig& config_;
  std::string mine_;
};

// While it lives, a thread listens at the process's socket in the job's folder (inspect/job_folders.hpp), and costs
// nothing unless somebody asks. Where that cannot be, the job runs on without it; `verbose`: a line says so. One at a
// time in a process.
class InspectionServer {
 public:
  InspectionServer(const runtime::Job& job, const ImageProgram& program, const JobName& name, bool verbose);
  ~InspectionServer();
  InspectionServer(const InspectionServer&) = delete;
  InspectionServer& operator=(const InspectionServer&) = delete;

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace weft::launch
