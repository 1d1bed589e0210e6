#include "runtime/net/fabric_library.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace weft::net {
namespace {

// The version of a symbol stands for the layout of fi_info that this file was compiled with.
template <typename Function>
void find(void* library, const char* name, const char* version, Function& function) {
  void* const symbol = dlvsym(library, name, version);
  if (symbol == nullptr) {
    throw std::runtime_error("libfabric.so.1 has no " + std::string(name) + " of version " + version +
                             "; install libfabric 1.17 or later");
  }
  function = reinterpret_cast<Function>(symbol);
}

FabricLibrary load() {
  const RestoreSignalsAndAffinity keep;
  void* const library = dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw std::runtime_error("traffic between hosts needs libfabric.so.1 (Debian: libfabric1): " +
                             std::string(dlerror()));
  }
  FabricLibrary functions{};
  find(library, "fi_getinfo", "FABRIC_1.3", functions.getinfo);
  find(library, "fi_freeinfo", "FABRIC_1.3", functions.freeinfo);
  find(library, "fi_dupinfo", "FABRIC_1.3", functions.dupinfo);
  find(library, "fi_fabric", "FABRIC_1.1", functions.fabric);
  find(library, "fi_strerror", "FABRIC_1.0", functions.strerror);
  return functions;
}

}  // namespace

const FabricLibrary& fabric_library() {
  static const FabricLibrary functions = load();
  return functions;
}

RestoreSignalsAndAffinity::RestoreSignalsAndAffinity() {
  for (int signal = 1; signal < kSignals; ++signal) {
    sigaction(signal, nullptr, &actions_[signal]);
  }
  sched_getaffinity(0, sizeof(cores_), &cores_);
}

RestoreSignalsAndAffinity::~RestoreSignalsAndAffinity() {
  for (int signal = 1; signal < kSignals; ++signal) {
    sigaction(signal, &actions_[signal], nullptr);
  }
  sched_setaffinity(0, sizeof(cores_), &cores_);
}

}  // namespace weft::net
