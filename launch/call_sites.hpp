// Where the ranks of loaded programs call MPI, for --check and the report of a deadlock.
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
  // Until then calls_of() knows nothing. Both are there as long as calls_of() is called.
  void watch(const runtime::Job& job, const ImageProgram& program);
  std::uintptr_t caller() const override;
  std::string name(std::uintptr_t caller) override;
  std::vector<std::string> lines(const std::vector<std::string>& names) override;
  std::vector<std::string> calls_of(std::span<const runtime::Rank* const> suspended) override;

 private:
  const runtime::Job* job_ = nullptr;
  const ImageProgram* program_ = nullptr;
  std::mutex mutex_;
  std::map<std::string, CodePlace> places_;  // by name
};

}  // namespace weft::launch
