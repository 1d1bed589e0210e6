// Answers `weft ps`, `weft top` and `weft stacks` for a process of a job.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/job/job.hpp"

namespace weft::bootstrap {
class Bootstrap;
}

namespace weft::launch {

class ImageProgram;

// The job's name: the number of the process that the user has started, weftrun's or the first of the job's; where a job
// has several hosts, followed by "@" and the first one's name. All processes call it, and then a fence;
// `processes` may be null, `has_launcher` is whether Weft's own launcher may have started this process.
class JobName {
 public:
  JobName(bootstrap::Bootstrap* processes, bool has_launcher);
  // After the fence.
  std::string text() const;
  std::vector<std::string> hosts() const;  // by process

 private:
  bootstrap::Bootstrap* processes_;
  std::string mine_;
  std::string host_;
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
