// Where the ranks of loaded programs call MPI, for --check.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "launch/source_lines.hpp"
#include "mpi_shim/state/call_sites.hpp"

namespace weft::launch {

class ProgramCallSites final : public mpi_shim::CallSites {
 public:
  std::uintptr_t caller() const override;
  std::string name(std::uintptr_t caller) override;
  std::vector<std::string> lines(const std::vector<std::string>& names) override;

 private:
  std::mutex mutex_;
  std::map<std::string, CodePlace> places_;  // by name
};

}  // namespace weft::launch
