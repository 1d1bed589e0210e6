#include "mpi_shim/rma/operation.hpp"

#include <algorithm>
#include <cstdint>

#include "mpi_shim/datatype/datatype_builder.hpp"
#include "mpi_shim/rma/epochs.hpp"

namespace weft::mpi_shim::rma {

namespace {

// The result of checking an address, count and datatype. `type` is null if one was wrong; `error` has been raised then.
struct CheckedType {
  const Datatype* type = nullptr;
  int error = MPI_SUCCESS;
};

CheckedType check_type(const Entry& entry, const Window& window, const char* name, MPI_Count count,
                       MPI_Datatype handle) {
  if (count < 0) {
    return {nullptr, raise(entry, window, MPI_ERR_COUNT, "{}_count {} is negative", name, count)};
  }
  const Datatype* const type = find_datatype(entry.me, handle);
  if (type == nullptr) {
    return {nullptr, raise(entry, window, MPI_ERR_TYPE, "{}_datatype {:#x} is not a datatype of this rank", name,
                           handle_value(handle))};
  }
  if (!type->committed) {
    return {nullptr, raise(entry, window, MPI_ERR_TYPE, "{}_datatype is not committed", name)};
  }
  return {type};
}

CheckedType check_user_buffer(const Entry& entry, const Window& window, const char* name, const UserBuffer& buffer) {
  const CheckedType side = check_type(entry, window, name, buffer.count, buffer.type);
  if (side.type != nullptr && buffer.address == nullptr && lies_at_null(nullptr, buffer.count, *side.type)) {
    return {nullptr, raise(entry, window, MPI_ERR_BUFFER, "{}_addr is a null pointer", name)};
  }
  if (side.type != nullptr && buffer.address == MPI_IN_PLACE && buffer.count > 0) {
    return {nullptr, raise(entry, window, MPI_ERR_BUFFER, "{}_addr is MPI_IN_PLACE, which has no meaning here", name)};
  }
  return side;
}

int check_rank(const Entry& entry, const Window& window, int target) {
  if (target != MPI_PROC_NULL && (target < 0 || target >= window.size())) {
    return raise(entry, window, MPI_ERR_RANK, "target_rank {} is not a rank of the window, which has ranks 0 to {}",
                 target, window.size() - 1);
  }
  return MPI_SUCCESS;
}

// Checks all arguments but the ranges of memory.
int check_arguments(const Entry& entry, const Arguments& arguments, CheckedOperation& operation) {
  const Window& window = *operation.window;
  if (const int error = check_rank(entry, window, arguments.target); error != MPI_SUCCESS) {
    return error;
  }
  if (arguments.by_request && arguments.request == nullptr) {
    return null_argument(entry, window, "request");
  }
  if (arguments.origin != nullptr) {
    const CheckedType side = check_user_buffer(entry, window, "origin", *arguments.origin);
    if (side.type == nullptr) {
      return side.error;
    }
    operation.origin =
        message_buffer(arguments.origin->address, static_cast<std::size_t>(arguments.origin->count), *side.type);
  }
  if (arguments.result != nullptr) {
    const CheckedType side = check_user_buffer(entry, window, "result", *arguments.result);
    if (side.type == nullptr) {
      return side.error;
    }
    operation.result_type = side.type;
    operation.result =
        message_buffer(arguments.result->address, static_cast<std::size_t>(arguments.result->count), *side.type);
  }
  const CheckedType side = check_type(entry, window, "target", arguments.target_count, arguments.target_type);
  operation.type = side.type;
  return side.error;
}

// Checks and sets the number of packed bytes, which must be the same at both ends.
int check_sizes(const Entry& entry, const Arguments& arguments, CheckedOperation& operation) {
  operation.count = static_cast<std::size_t>(arguments.target_count);
  operation.bytes = operation.count * operation.type->size();
  const std::size_t sent = operation.origin.bytes;
  if (arguments.origin != nullptr && sent > operation.bytes) {
    return raise(entry, *operation.window, MPI_ERR_TRUNCATE, "the origin has {} bytes, the target takes {}", sent,
                 operation.bytes);
  }
  operation.bytes = arguments.origin != nullptr ? sent : operation.bytes;
  if (arguments.result != nullptr && operation.bytes > operation.result.bytes) {
    return raise(entry, *operation.window, MPI_ERR_TRUNCATE, "the target has {} bytes, the result takes {}",
                 operation.bytes, operation.result.bytes);
  }
  return MPI_SUCCESS;
}

// The range of bytes that elements of the target's datatype cover, relative to the displacement's address.
struct Extent {
  MPI_Aint low;
  MPI_Aint high;
};

Extent reach(const Datatype& type, std::size_t count) {
  const MPI_Aint last = scaled(static_cast<MPI_Count>(count - 1), type.extent());
  const MPI_Aint low = type.true_lower_bound();
  return {low + std::min<MPI_Aint>(last, 0), low + type.true_extent() + std::max<MPI_Aint>(last, 0)};
}

// For dynamic windows: whether the target has attached all bytes that the operation accesses.
bool is_attached(const CheckedOperation& operation) {
  constexpr std::size_t kMostRegions = 1024;
  for (FragmentCursor fragment(operation, 1, SIZE_MAX, kMostRegions); fragment.next();) {
    for (const StridedRegion& region : fragment.regions()) {
      auto address = reinterpret_cast<std::uintptr_t>(operation.address) + static_cast<std::uintptr_t>(region.offset);
      for (std::uint64_t i = 0; i < region.count; ++i, address += static_cast<std::uintptr_t>(region.stride)) {
        if (!operation.target_exposure->is_attached(address, region.bytes)) {
          return false;
        }
      }
    }
  }
  return true;
}

int check_place(const Entry& entry, MPI_Aint displacement, CheckedOperation& operation) {
  const Window& window = *operation.window;
  const WindowMemory& memory = window.shared->memory_of(operation.target);
  const Extent extent = reach(*operation.type, operation.count);
  if (window.values->flavor == MPI_WIN_FLAVOR_DYNAMIC) {
    operation.address = reinterpret_cast<std::byte*>(displacement);
    const bool known =
        operation.target_exposure == nullptr || is_attached(operation);  // not checked in other processes
    return known ? MPI_SUCCESS
                 : raise(entry, window, MPI_ERR_RMA_RANGE, "{} bytes at {:#x} are not attached by rank {}",
                         operation.bytes, displacement, operation.target);
  }
  const MPI_Aint offset = scaled(displacement, memory.disp_unit);
  if (offset + extent.low < 0 || offset + extent.high > memory.size) {
    return raise(entry, window, MPI_ERR_RMA_RANGE, "bytes {} to {} of rank {}'s part, which has {}",
                 offset + extent.low, offset + extent.high - 1, operation.target, memory.size);
  }
  operation.address = reinterpret_cast<std::byte*>(memory.base) + offset;
  return MPI_SUCCESS;
}

int check_epoch(const Entry& entry, const Arguments& arguments, Window& window) {
  if (arguments.by_request && !is_passive(window)) {
    return raise(entry, window, MPI_ERR_RMA_SYNC, "operations with requests need MPI_Win_lock or MPI_Win_lock_all");
  }
  if (!may_access(entry.me, window, arguments.target)) {
    return raise(entry, window, MPI_ERR_RMA_SYNC, "no epoch of the window gives access to rank {}", arguments.target);
  }
  return MPI_SUCCESS;
}

}  // namespace

ProcessId CheckedOperation::process() const { return process_of(me, *window, target); }

int check(const Entry& entry, const Arguments& arguments, CheckedOperation& operation) {
  operation.window = find_window(entry.me, arguments.win);
  if (operation.window == nullptr) {
    return bad_window(entry, arguments.win);
  }
  operation.by_request = arguments.by_request;
  if (const int error = check_arguments(entry, arguments, operation); error != MPI_SUCCESS) {
    return error;
  }
  if (arguments.target == MPI_PROC_NULL) {
    return MPI_SUCCESS;
  }
  Window& window = *operation.window;
  if (arguments.displacement < 0 && window.values->flavor != MPI_WIN_FLAVOR_DYNAMIC) {
    return raise(entry, window, MPI_ERR_DISP, "target_disp {} is negative", arguments.displacement);
  }
  if (const int error = check_epoch(entry, arguments, window); error != MPI_SUCCESS) {
    return error;
  }
  if (const int error = check_sizes(entry, arguments, operation); error != MPI_SUCCESS) {
    return error;
  }
  operation.target = arguments.target;
  operation.target_exposure = window.shared->local_exposure(arguments.target);
  return operation.bytes == 0 ? MPI_SUCCESS : check_place(entry, arguments.displacement, operation);
}

runtime::Request* start_request(CheckedOperation& operation) {
  if (!operation.by_request) {
    return nullptr;
  }
  operation.pending = &operation.me.requests.acquire();
  runtime::start_event(*operation.me.rank, operation.target, {}, operation.pending->message);
  return &operation.pending->message;
}

void return_request(const CheckedOperation& operation, MPI_Request* request) {
  if (operation.by_request) {
    const PendingRequest* const pending = operation.pending;
    *request = pending != nullptr ? pending->handle : operation.me.requests.completed_send().handle;
    yield_sometimes(operation.me, *operation.window);
  }
}

FragmentCursor::FragmentCursor(const CheckedOperation& operation, std::size_t unit, std::size_t most_bytes,
                               std::size_t most_regions)
    : operation_(operation), unit_(unit), most_bytes_(most_bytes / unit * unit), regions_(most_regions) {}

bool FragmentCursor::next() {
  skip_ += bytes_;
  bytes_ = std::min(operation_.bytes - skip_, most_bytes_);
  if (bytes_ == 0) {
    return false;
  }
  one_block_ = operation_.type->contiguous();
  if (one_block_) {
    single_ = {static_cast<std::int64_t>(skip_), bytes_, 1, 0};
    return true;
  }
  bytes_ = collect(*operation_.type, skip_, bytes_, unit_, regions_);
  one_block_ = regions_.one_block();
  single_ = regions_.list()[0];
  return true;
}

const std::byte* packed(const runtime::Buffer& buffer, std::size_t skip, std::size_t bytes,
                        std::vector<std::byte>& room) {
  if (buffer.layout == nullptr) {
    return static_cast<const std::byte*>(buffer.base) + skip;
  }
  room.resize(bytes);
  buffer.layout->pack(buffer.base, buffer.count, skip, room);
  return room.data();
}

}  // namespace weft::mpi_shim::rma
