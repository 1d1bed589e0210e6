// Finds the source lines where the ranks of loaded programs call MPI, for --check and for deadlock reports.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "launch/source_lines.hpp"
#include "mpi_shim/state/call_sites.hpp"

namespace weft::runtime {
inline namespace job {
class Job;
}  // namespace job
}  // namespace weft::runtime

namespace weft::launch {

class ImageProgram;

class ProgramCallSites final : public mpi_shim::CallSites {
 public:
  // calls_of() finds nothing before this call. Both references must stay valid while calls_of() is used.
  void attach(const runtime::Job& job, const ImageProgram& program);
  std::uintptr_t caller() const override;
  std::string name(std::uintptr_t caller) override;
  std::vector<std::string> lines(const std::vector<std::string>& names) override;
  std::vector<std::string> calls_of(std::span<const runtime::Rank* const> suspended) override;

 private:
  // Written by attach().
  const runtime::Job* job_ = nullptr;
  const ImageProgram* program_ = nullptr;
  std::mutex mutex_;                            // guards places_ in name(); lines() is called when no rank runs
  std::map<std::string, CodeLocation> places_;  // by name
};

}  // namespace weft::launch
