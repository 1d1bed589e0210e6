// MPI_Put, MPI_Get, MPI_Accumulate and their kind: arguments, checked, and the pieces in which they go.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mpi_shim/rma/combine.hpp"
#include "mpi_shim/rma/window.hpp"

namespace weft::mpi_shim::rma {

// An address, a count and a type as the user gave them.
struct Triple {
  const void* address = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

// The arguments of a call as the user gave them; null where the call has no such argument.
struct Arguments {
  const Triple* origin = nullptr;  // what goes to the target
  const Triple* result = nullptr;  // where to put what comes from there
  int target = 0;
  MPI_Aint displacement = 0;
  MPI_Count target_count = 0;
  MPI_Datatype target_type = MPI_DATATYPE_NULL;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Request* request = nullptr;
  bool by_request = false;
};

// A checked call.
struct Operation {
  explicit Operation(RankState& my_state) : me(my_state) {}
  ProcessId process() const;  // where the target lives

  RankState& me;
  Window* window = nullptr;
  int target = 0;
  Exposure* here = nullptr;        // the target's, where it lives in this process
  std::byte* address = nullptr;    // in the target's memory
  const Datatype* type = nullptr;  // there
  std::size_t count = 0;
  std::size_t bytes = 0;  // packed; 0: nothing to do
  runtime::Buffer origin;
  runtime::Buffer result;
  const Datatype* result_type = nullptr;
  bool by_request = false;
  PendingRequest* pending = nullptr;  // of a call by request that is not done at once
};

// Reports the first wrong argument through the window's error handler and returns its class. Suspends where the target
// has not posted yet.
int check(const Entry& entry, const Arguments& arguments, Operation& operation);
// At the end of a call by request: its handle.
void hand_out(const Operation& operation, MPI_Request* request);
// Before the first part of a call by request that is not done at once: what is completed at the end, or null.
runtime::Request* event_of(Operation& operation);

// The parts of an operation, one after the other: all blocks in the target of some packed bytes.
class Pieces {
 public:
  // Each of at most `most_bytes` and `most_runs`, and of whole units.
  Pieces(const Operation& operation, std::size_t unit, std::size_t most_bytes, std::size_t most_runs);
  bool next();
  std::size_t skip() const { return skip_; }
  std::size_t bytes() const { return bytes_; }
  std::span<const Run> runs() const { return one_block_ ? std::span(&row_, 1) : runs_.list(); }
  bool one_block() const { return one_block_; }

 private:
  const Operation& operation_;
  const std::size_t unit_;
  const std::size_t most_bytes_;
  Runs runs_;
  Run row_;
  bool one_block_ = false;
  std::size_t skip_ = 0;
  std::size_t bytes_ = 0;
};

// Packed bytes [skip, skip + bytes) of the buffer: where they lie, or copied into `room`.
const std::byte* packed(const runtime::Buffer& buffer, std::size_t skip, std::size_t bytes,
                        std::vector<std::byte>& room);

// In other processes; `old`: what was there comes to operation.result.
void put_remote(Operation& operation);
void get_remote(Operation& operation);
void accumulate_remote(Operation& operation, MPI_Op op, const Datatype& element, bool old);
void swap_remote(Operation& operation, std::span<const std::byte> compare, std::span<const std::byte> value);

}  // namespace weft::mpi_shim::rma
