// Interface to the source positions of MPI calls. The loader of programs (launch/) implements it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weft::runtime {
inline namespace control {
class Rank;
}  // namespace control
}  // namespace weft::runtime

namespace weft::mpi_shim {
inline namespace state {

// Thread-safe, except lines() and calls_of().
class CallSites {
 public:
  CallSites() = default;
  virtual ~CallSites() = default;
  CallSites(const CallSites&) = delete;
  CallSites& operator=(const CallSites&) = delete;

  // The address in the calling rank's program from which the running call was made; 0 if unknown.
  virtual std::uintptr_t caller() const = 0;
  // A name for such an address, the same for all ranks of the program: "main+0x12 (solver)".
  virtual std::string name(std::uintptr_t caller) = 0;
  // The source line of each of these names, "solver.c:12"; the name itself where the line is unknown.
  virtual std::vector<std::string> lines(const std::vector<std::string>& names) = 0;
  // For each of these suspended ranks the source line of the MPI call that it is in, as lines() writes it but without
  // folders; empty if unknown.
  virtual std::vector<std::string> calls_of(std::span<const runtime::Rank* const> suspended) = 0;
};

}  // namespace state
}  // namespace weft::mpi_shim
