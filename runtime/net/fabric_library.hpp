// libfabric, loaded when it is first needed. Linking it and the libraries behind it would cost each program a quarter
// of a second at its start, and would replace the program's signal handlers.
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

// Saves the process's signal handlers and the thread's core affinity, and restores both at the end of its life.
// Libraries that libfabric loads (InfiniPath's, at least) change them while they are loaded and asked for devices.
class RestoreSignalsAndAffinity {
 public:
  RestoreSignalsAndAffinity();
  ~RestoreSignalsAndAffinity();
  RestoreSignalsAndAffinity(const RestoreSignalsAndAffinity&) = delete;
  RestoreSignalsAndAffinity& operator=(const RestoreSignalsAndAffinity&) = delete;

 private:
  static constexpr int kSignals = 32;  // without real-time signals
  struct sigaction actions_[kSignals];
  cpu_set_t cores_;
};

}  // namespace weft::net
