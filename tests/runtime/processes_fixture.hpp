// Several processes of a job as objects in this one, joined by a loopback that delays and reorders.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/control/cluster.hpp"
#include "runtime/job/job.hpp"
#include "runtime/net/loopback.hpp"

namespace weft::runtime {

struct Shape {
  std::uint32_t processes;
  std::uint32_t workers;  // of each
  std::string lb = "none";
  std::uint32_t most_delay = 0;
};

inline void PrintTo(const Shape& shape, std::ostream* out) {
  *out << shape.processes << " processes x " << shape.workers << " workers, " << shape.lb << ", delay "
       << shape.most_delay;
}

inline std::string name_of_shape(const testing::TestParamInfo<Shape>& info) {
  return std::to_string(info.param.processes) + "x" + std::to_string(info.param.workers) + "_" + info.param.lb +
         (info.param.most_delay != 0 ? "_delayed" : "");
}

// The largest exit code. `make_upper_layer` may be empty.
inline int run_processes(const Shape& shape, JobConfig config, Program& program,
                         const std::function<std::unique_ptr<UpperLayer>()>& make_upper_layer = {}) {
  config.workers = shape.workers;
  config.lb = shape.lb;
  config.bind = false;
  net::LoopbackOptions options;
  options.workers = shape.workers;
  options.most_delay = shape.most_delay;
  options.seed = 17;
  net::Loopback hub(shape.processes, options);
  struct Process {
    std::unique_ptr<Cluster> cluster;
    std::unique_ptr<net::Transport> transport;
    std::unique_ptr<UpperLayer> upper_layer;
    std::unique_ptr<Job> job;
    int code = -1;
  };
  std::vector<Process> processes(shape.processes);
  for (std::uint32_t p = 0; p < shape.processes; ++p) {
    Process& process = processes[p];
    process.cluster =
        std::make_unique<Cluster>(ProcessId{p}, std::vector<std::uint32_t>(shape.processes, shape.workers));
    process.transport = hub.connect(ProcessId{p}, *process.cluster);
    process.cluster->set_transport(*process.transport);
    process.upper_layer = make_upper_layer ? make_upper_layer() : nullptr;
    process.job = std::make_unique<Job>(config, program, process.upper_layer.get(), process.cluster.get());
  }
  std::vector<std::thread> threads;
  for (Process& process : processes) {
    threads.emplace_back([&process] { process.code = process.job->run(); });
  }
  int code = 0;
  for (std::uint32_t p = 0; p < shape.processes; ++p) {
    threads[p].join();
    code = std::max(code, processes[p].code);
  }
  for (const Process& process : processes) {
    for (std::uint32_t r = 0; r < config.ranks; ++r) {
      EXPECT_EQ(process.job->rank(r).mailbox.unexpected(), 0U) << "rank " << r;
      EXPECT_EQ(process.job->rank(r).mailbox.posted(), 0U) << "rank " << r;
      EXPECT_TRUE(process.job->rank(r).registered_sends.empty()) << "rank " << r;
    }
  }
  return code;
}

inline const auto kShapes = testing::Values(Shape{1, 1}, Shape{2, 1}, Shape{2, 2}, Shape{4, 1}, Shape{2, 2, "none", 5},
                                            Shape{2, 1, "rotate"}, Shape{3, 2, "rotate"}, Shape{3, 1, "rotate", 5});

}  // namespace weft::runtime
