// What the parts of the runtime that act for the whole job need of it. They do not know the job itself, which consists
// of these parts.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/ids.hpp"

namespace weft::runtime {
inline namespace failure {
class Failures;
}  // namespace failure

inline namespace job {
class Job;
}  // namespace job

inline namespace lbstep {
class BalancingStep;
}  // namespace lbstep

inline namespace sched {
class MainThread;
class Worker;
}  // namespace sched

inline namespace setup {
class UpperLayer;
class Program;
struct JobConfig;
}  // namespace setup

inline namespace spawning {
class Spawning;
}  // namespace spawning

inline namespace timeline {
class Timeline;
}  // namespace timeline

inline namespace control {

class Cluster;
class ControlChannel;
class RankTable;

// All borrowed, and constant once the job has made its parts, before any rank runs.
struct JobContext {
  Job& job;  // only to be passed on in calls of the upper layer
  const JobConfig& config;
  Program& program;
  UpperLayer* upper_layer;  // may be null
  Cluster& cluster;
  ControlChannel& control;
  MainThread& main_thread;
  RankTable& ranks;
  std::span<Worker* const> workers;  // of this process
  Timeline* timeline;                // null where none is recorded
  // Ends the process with this code after printing the message. Does not return.
  std::function<void(int code, const std::string& message)> abort;
  // With --survive api: a process has died, and the job goes on. Any thread.
  std::function<void(ProcessId process)> process_died = {};
  // The parts that calls of the ranks use.
  BalancingStep* step = nullptr;
  Spawning* spawning = nullptr;
  Failures* failures = nullptr;  // with --survive api
};

}  // namespace control
}  // namespace weft::runtime
