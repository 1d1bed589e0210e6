// MPI_Put, MPI_Get, MPI_Accumulate and their like: the check of their arguments, and the fragments that they are sent
// in.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mpi_shim/rma/accumulate_op.hpp"
#include "mpi_shim/rma/window.hpp"

namespace weft::mpi_shim::rma {

// An address, a count and a datatype as the program passed them.
struct UserBuffer {
  const void* address = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

// The arguments of a call as the program passed them; null if the call has no such argument.
struct Arguments {
  const UserBuffer* origin = nullptr;  // data for the target
  const UserBuffer* result = nullptr;  // for data from the target
  int target = 0;
  MPI_Aint displacement = 0;
  MPI_Count target_count = 0;
  MPI_Datatype target_type = MPI_DATATYPE_NULL;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Request* request = nullptr;
  bool by_request = false;
};

// A checked call, with what is needed to carry it out. Lives on the stack of the call.
struct CheckedOperation {
  explicit CheckedOperation(RankState& my_state) : me(my_state) {}
  ProcessId process() const;  // the target's

  RankState& me;
  Window* window = nullptr;
  int target = 0;
  Exposure* target_exposure = nullptr;  // null if the target lives in another process
  std::byte* address = nullptr;         // in the target's memory
  const Datatype* type = nullptr;       // of the target's elements
  std::size_t count = 0;
  std::size_t bytes = 0;  // packed; 0: nothing to do
  runtime::Buffer origin;
  runtime::Buffer result;
  const Datatype* result_type = nullptr;
  bool by_request = false;
  PendingRequest* pending = nullptr;  // if the call returns a request and is not complete at once
};

// Checks the arguments and fills in `operation`. Reports the first wrong one through the window's error handler and
// returns its class, or MPI_SUCCESS. Suspends if the target must post first and has not.
int check(const Entry& entry, const Arguments& arguments, CheckedOperation& operation);
// Called at the end of MPI_Rput and its like: sets the request's handle. Does nothing in calls without a request.
void return_request(const CheckedOperation& operation, MPI_Request* request);
// Called before the first message of a call that is not complete at once: the request to complete at its end, or null
// if the call has none.
runtime::Request* start_request(CheckedOperation& operation);

// Walks over the fragments of an operation. A fragment is a range of its packed bytes, with the regions where they lie
// in the target.
class FragmentCursor {
 public:
  // A fragment has at most `most_bytes` and `most_regions`, and a multiple of `unit` bytes.
  FragmentCursor(const CheckedOperation& operation, std::size_t unit, std::size_t most_bytes, std::size_t most_regions);
  bool next();
  std::size_t skip() const { return skip_; }
  std::size_t bytes() const { return bytes_; }
  std::span<const StridedRegion> regions() const { return one_block_ ? std::span(&single_, 1) : regions_.list(); }
  bool one_block() const { return one_block_; }

 private:
  const CheckedOperation& operation_;
  const std::size_t unit_;
  const std::size_t most_bytes_;
  RegionList regions_;
  StridedRegion single_;
  bool one_block_ = false;
  std::size_t skip_ = 0;
  std::size_t bytes_ = 0;
};

// Packed bytes [skip, skip + bytes) of the buffer: in place if it is contiguous, else copied into `room`.
const std::byte* packed(const runtime::Buffer& buffer, std::size_t skip, std::size_t bytes,
                        std::vector<std::byte>& room);

// Operations on targets in other processes. `old`: operation.result gets the target's old values.
void put_remote(CheckedOperation& operation);
void get_remote(CheckedOperation& operation);
void accumulate_remote(CheckedOperation& operation, MPI_Op op, const Datatype& element, bool old);
void swap_remote(CheckedOperation& operation, std::span<const std::byte> compare, std::span<const std::byte> value);

}  // namespace weft::mpi_shim::rma
