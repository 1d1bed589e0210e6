// libfabric, loaded when it is first needed. Linked, it and the libraries behind it would cost the start of every
// program a quarter of a second, and set the program's signal handlers to theirs.
#pragma once

#include <rdma/fabric.h>
#include <sched.h>
#include <signal.h>

namespace weft::net {

// The functions that libfabric exports; all others are reached through the objects that these give.
struct FabricLibrary {
  decltype(&fi_getinfo) getinfo;
  decltype(&fi_freeinfo) freeinfo;
  decltype(&fi_dupinfo) dupinfo;
  decltype(&fi_fabric) fabric;
  decltype(&fi_strerror) strerror;
};

// Throws std::runtime_error when it is not installed.
const FabricLibrary& fabric_library();

// Puts the process's signal handlers and the thread's cores back where they were. Libraries behind libfabric (that of
// InfiniPath, at least) change them while they are loaded and asked for devices.
class KeepSignalsAndCores {
 public:
  KeepSignalsAndCores();
  ~KeepSignalsAndCores();
  KeepSignalsAndCores(const KeepSignalsAndCores&) = delete;
  KeepSignalsAndCores& operator=(const KeepSignalsAndCores&) = delete;

 private:
  static constexpr int kSignals = 32;  // those that are not for real time
  struct sigaction actions_[kSignals];
  cpu_set_t cores_;
};

}  // namespace weft::net
