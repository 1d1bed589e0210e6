// One rank's part of a loop: a session, and a new session of the surviving ranks after each death of a process.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "iterations/claims.hpp"
#include "iterations/session.hpp"
#include "iterations/weft_iterations.h"

namespace weft::iterations {

// Some rank has invalid arguments, or ranks have different ones.
struct ArgumentError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// On each communicator of the loop the ranks agree once (agree_on_success) whether the loop has ended there. So no rank
// leaves while another one still needs it, and the survivors go on to the next communicator together.
class Loop {
 public:
  // Owns the communicator, which must return errors. valid: whether this rank has given valid arguments.
  Loop(MPI_Comm comm, std::int64_t total, const weft_iterations_options& options, bool valid);
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop();

  // Collective. Throws ArgumentError on all ranks.
  void begin();
  // As the functions of weft_iterations.h.
  void next(std::int64_t& first, std::int64_t& count);
  int report(std::int64_t done);
  int predict(double& seconds_left, double& finish_spread);
  int end(weft_iterations_stats& stats);

 private:
  template <class Body>
  int with_recovery(Body body);
  void start();
  void agree_on_end();
  void recover();
  RangeSet resolve_claims();
  [[nodiscard]] bool same_arguments() const;

  MPI_Comm comm_;
  const std::int64_t total_;
  const std::array<std::int64_t, 7> arguments_;
  const SessionOptions options_;
  const bool fault_tolerant_;
  LoopState state_;
  Claim claim_;                                       // of earlier sessions, until it is resolved
  std::vector<weft_iterations_stats> earlier_stats_;  // of each earlier session
  bool end_agreed_ = false;
  std::optional<Session> session_;  // none after an error
};

}  // namespace weft::iterations
